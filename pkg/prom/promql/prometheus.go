package promql

import "time"

const (
	// LookbackDelta is how far before a step Prometheus looks for the sample of an instant vector selector.
	LookbackDelta = 5 * time.Minute
	// MaxPoints is how many steps of a range query Prometheus returns at most, besides the first. It rejects longer ranges.
	MaxPoints = 11_000
)
