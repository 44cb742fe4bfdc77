package promql

import (
	"strconv"
	"time"
)

const (
	// LookbackDelta is how far before a step Prometheus looks for the sample of an instant vector selector.
	LookbackDelta = 5 * time.Minute
	// MaxPoints is how many steps of a range query Prometheus returns at most, besides the first. It rejects longer ranges.
	MaxPoints = 11_000
)

// FormatDuration formats a step as in the examples of the specification: 60s.
func FormatDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}
