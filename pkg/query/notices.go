package query

import (
	"fmt"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Notices are the notices of a result. The zero value has none.
type Notices []data.Notice

// Warn adds a warning.
func (n *Notices) Warn(format string, args ...any) { n.add(data.NoticeSeverityWarning, format, args) }

// Info adds an info.
func (n *Notices) Info(format string, args ...any) { n.add(data.NoticeSeverityInfo, format, args) }

// maxNotices bounds the notices of a result. One more says that there are others.
const maxNotices = 20

// add adds a notice if there is no equal one.
func (n *Notices) add(severity data.NoticeSeverity, format string, args []any) {
	if len(*n) > maxNotices {
		return
	}
	text := fmt.Sprintf(format, args...)
	for _, known := range *n {
		if known.Text == text {
			return
		}
	}
	if len(*n) == maxNotices {
		severity, text = data.NoticeSeverityInfo, "There are more notices. Choose less to see them."
	}
	*n = append(*n, data.Notice{Severity: severity, Text: text})
}

// Append adds the notices of another result.
func (n *Notices) Append(others []data.Notice) {
	for _, other := range others {
		n.add(other.Severity, "%s", []any{other.Text})
	}
}
