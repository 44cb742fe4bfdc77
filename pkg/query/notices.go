package query

import (
	"fmt"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Notices are the notices of a result. The zero value has none.
type Notices []data.Notice

// Warn adds a warning.
func (n *Notices) Warn(format string, args ...any) {
	n.add(data.Notice{Severity: data.NoticeSeverityWarning, Text: fmt.Sprintf(format, args...)})
}

// Blank reports whether an option includes nothing, and adds a warning if so.
func (n *Notices) Blank(field string, option Choices) bool {
	if option.Blank {
		n.Warn("%s: the variable has no value, so nothing is chosen.", field)
	}
	return option.Blank
}

// Cut adds a warning that something is left out of the result because of a bound. In an alert rule it is an error; see [Finish].
func (n *Notices) Cut(format string, args ...any) {
	n.add(data.Notice{Severity: cutSeverity, Text: fmt.Sprintf(format, args...)})
}

// cutSeverity marks notices of [Notices.Cut], which are warnings in results. No other notice is an error.
const cutSeverity = data.NoticeSeverityError

// Incomplete is an *[Error] if something is left out, else nil. Instances of a rule would resolve without a word.
func (n Notices) Incomplete() error {
	for _, notice := range n {
		if notice.Severity == cutSeverity {
			return &Error{"Result", "an alert rule needs all of it. " + notice.Text}
		}
	}
	return nil
}

// Info adds an info.
func (n *Notices) Info(format string, args ...any) { n.Link("", format, args...) }

// Link adds an info that leads to an address, which may be relative to the page that shows the result.
func (n *Notices) Link(address, format string, args ...any) {
	n.add(data.Notice{Severity: data.NoticeSeverityInfo, Text: fmt.Sprintf(format, args...), Link: address})
}

// maxNotices bounds the notices of a result. One more says that there are others.
const maxNotices = 20

// add adds a notice if there is no equal one.
func (n *Notices) add(notice data.Notice) {
	if len(*n) >= maxNotices && notice.Severity != cutSeverity && !n.has(notice.Text) {
		notice = data.Notice{Severity: data.NoticeSeverityInfo, Text: "There are more notices. Choose less to see them."}
	}
	if !n.has(notice.Text) {
		*n = append(*n, notice)
	}
}

func (n *Notices) has(text string) bool {
	return slices.ContainsFunc(*n, func(known data.Notice) bool { return known.Text == text })
}

// Append adds the notices of another result.
func (n *Notices) Append(others []data.Notice) {
	for _, other := range others {
		n.add(other)
	}
}
