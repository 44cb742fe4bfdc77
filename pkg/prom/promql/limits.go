package promql

import (
	"fmt"
	"sync/atomic"
)

// Limits bound the size of a result. 0 is no limit.
type Limits struct {
	// Series is the maximum number of time series, each of which becomes a frame.
	Series int
	// Samples is the maximum number of samples of all series. Each bucket of a native histogram counts as one.
	Samples int
	// SamplesPerSeries is the maximum number of samples, or of native histograms, of one series.
	SamplesPerSeries int
	// Total counts the samples of all responses of one result, to which the limit applies then; nil counts those of one response.
	Total *Total
}

// Total counts the samples of responses that are decoded at the same time. The zero value is ready to use.
type Total struct{ samples atomic.Int64 }

// Add adds samples, and returns how many there are.
func (t *Total) Add(samples int) int { return int(t.samples.Add(int64(samples))) }

// LimitError is the error of a response over a limit.
type LimitError struct {
	Limits
	// SeriesCount and SampleCount are the numbers of the whole response, and LongestSeries is that of its longest series.
	SeriesCount, SampleCount, LongestSeries int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d series and %d samples, %d in one, where %d, %d and %d are allowed",
		e.SeriesCount, e.SampleCount, e.LongestSeries, e.Series, e.Samples, e.SamplesPerSeries)
}

// TooManySeries reports whether the response is over the limit of series. If it is over none of the two, a series is too long.
func (e *LimitError) TooManySeries() bool { return e.Series > 0 && e.SeriesCount > e.Series }

// Check returns a *[LimitError] if the numbers of series, of all samples, or of the samples of the longest series are over a
// limit.
func (l Limits) Check(series, samples, longest int) error {
	if l.Series > 0 && series > l.Series || l.Samples > 0 && samples > l.Samples || l.SamplesPerSeries > 0 && longest > l.SamplesPerSeries {
		return &LimitError{Limits: l, SeriesCount: series, SampleCount: samples, LongestSeries: longest}
	}
	return nil
}
