package tuning

import (
	"errors"
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// notices are remarks on an answer that panels show beside it.
type notices []data.Notice

func (n *notices) warn(format string, args ...any) { n.add(data.NoticeSeverityWarning, format, args) }

func (n *notices) info(format string, args ...any) { n.add(data.NoticeSeverityInfo, format, args) }

// maxNotices is how many notices a panel shows; the last one says that there are others.
const maxNotices = 20

// add leaves out what has been said already.
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

// counted writes a number with the word for what is counted: "1 job", "2 jobs".
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// maxNamed is how many ids a notice names.
const maxNamed = 10

// named lists ids for a message.
func named(ids []string) string {
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

// reasonOf is an error's sentence, if it was made for users.
func reasonOf(err error) string {
	var explained *transport.Error
	if errors.As(err, &explained) {
		return explained.Message
	}
	return "Reading from the tuning gateway failed."
}
