package tuning

import (
	"errors"
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// notices are the notices of a result.
type notices []data.Notice

func (n *notices) warn(format string, args ...any) { n.add(data.NoticeSeverityWarning, format, args) }

func (n *notices) info(format string, args ...any) { n.add(data.NoticeSeverityInfo, format, args) }

// maxNotices bounds the notices of a result. One more says that there are others.
const maxNotices = 20

// add adds a notice if there is no equal one.
func (n *notices) add(severity data.NoticeSeverity, format string, args []any) {
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
		severity, text = data.NoticeSeverityInfo, "There are more notices. Choose fewer jobs to see them."
	}
	*n = append(*n, data.Notice{Severity: severity, Text: text})
}

// pluralize writes a number with a noun: "1 job", "2 jobs".
func pluralize(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// maxNamed bounds the ids in a notice.
const maxNamed = 10

// joinNames lists ids for a message.
func joinNames(ids []string) string {
	short := make([]string, 0, min(len(ids), maxNamed)+1)
	for i, id := range ids {
		if i == maxNamed {
			short = append(short, fmt.Sprintf("and %d more", len(ids)-maxNamed))
			break
		}
		if runes := []rune(id); len(runes) > 80 {
			id = string(runes[:80]) + "…"
		}
		short = append(short, id)
	}
	return strings.Join(short, ", ")
}

// messageOf is the message of a *transport.Error.
func messageOf(err error) string {
	var explained *transport.Error
	if errors.As(err, &explained) {
		return explained.Message
	}
	return "Reading from the tuning gateway failed."
}
