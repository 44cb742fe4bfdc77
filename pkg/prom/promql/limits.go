package promql

import (
	"fmt"
	"sync/atomic"
)

// Limits bound the size of a result. 0 is no limit.
type Limits struct {
	// Series is the maximum number of time series, each of which becomes a frame.
	Series int
	// Samples is the maximum number of samples of all series; for native histograms see [series.Histograms.Samples].
	Samples int
	// Total counts the samples of all responses of one result, to which the limit applies then; nil counts those of one response.
	Total *Total
}

// Total counts the samples of responses that are decoded at the same time. The zero value is ready to use.
type Total struct{ samples atomic.Int64 }

// Add adds samples, and returns how many there are.
func (t *Total) Add(samples int) int { return int(t.samples.Add(int64(samples))) }

// LimitError is the error of a result with more series than the limit, or else with more samples.
type LimitError struct {
	OfSeries bool
	Limit    int
}

func (e *LimitError) Error() string {
	if e.OfSeries {
		return fmt.Sprintf("more than %d series", e.Limit)
	}
	return fmt.Sprintf("more than %d samples", e.Limit)
}

// Check returns a *[LimitError] if there are more series or samples than allowed.
func (l Limits) Check(series, samples int) error {
	switch {
	case l.Series > 0 && series > l.Series:
		return &LimitError{true, l.Series}
	case l.Samples > 0 && samples > l.Samples:
		return &LimitError{false, l.Samples}
	}
	return nil
}
