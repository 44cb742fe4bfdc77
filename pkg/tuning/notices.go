package tuning

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

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
