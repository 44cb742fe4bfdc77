package transport

import (
	"fmt"
	"net/http"
	"time"
)

// tolerableSkew is how far two clocks may be apart before a refused signature is blamed on them too.
const tolerableSkew = time.Minute

// clockHint says so if the platform's clock, by its Date header, differs from ours by more than that.
func clockHint(header http.Header, now time.Time) string {
	theirs, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return ""
	}
	skew := now.Sub(theirs).Round(time.Second)
	switch {
	case skew > tolerableSkew:
		return fmt.Sprintf(" The clock of Grafana's server is %s ahead of the platform's; a signature counts only near its time.", skew)
	case skew < -tolerableSkew:
		return fmt.Sprintf(" The clock of Grafana's server is %s behind the platform's; a signature counts only near its time.", -skew)
	}
	return ""
}
