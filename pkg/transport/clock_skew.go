package transport

import (
	"fmt"
	"net/http"
	"time"
)

// tolerableSkew is the clock skew up to which an error about a refused signature does not mention the clocks.
const tolerableSkew = time.Minute

// clockHint is a sentence about the clock skew, measured by the Date header, if it is larger than tolerableSkew.
func clockHint(header http.Header, now time.Time) string {
	theirs, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return ""
	}
	skew := now.Sub(theirs).Round(time.Second)
	switch {
	case skew > tolerableSkew:
		return fmt.Sprintf(" The clock of Grafana's server is %s ahead of the platform's; a signature is valid only near its timestamp.", skew)
	case skew < -tolerableSkew:
		return fmt.Sprintf(" The clock of Grafana's server is %s behind the platform's; a signature is valid only near its timestamp.", -skew)
	}
	return ""
}
