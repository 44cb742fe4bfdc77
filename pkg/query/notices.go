package query

import (
	"fmt"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Notices are the notices of a result. The zero value has none.
type Notices []data.Notice

// Warn adds a warning.
func (n *Notices) Warn(format string, args ...any) {
	n.add(data.Notice{Severity: data.NoticeSeverityWarning, Text: fmt.Sprintf(format, args...)})
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
	if len(*n) > maxNotices {
		return
	}
	for _, known := range *n {
		if known.Text == notice.Text {
			return
		}
	}
	if len(*n) == maxNotices {
		notice = data.Notice{Severity: data.NoticeSeverityInfo, Text: "There are more notices. Choose less to see them."}
	}
	*n = append(*n, notice)
}

// Append adds the notices of another result.
func (n *Notices) Append(others []data.Notice) {
	for _, other := range others {
		n.add(other)
	}
}
