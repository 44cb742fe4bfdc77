package promjson

import (
	"fmt"
	"sync/atomic"
)

// Limits bound the size of a response. 0 is no limit.
type Limits struct {
	// Series is the maximum number of time series.
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

// TooManySeries reports whether the response is over the limit of series.
func (e *LimitError) TooManySeries() bool { return e.Series > 0 && e.SeriesCount > e.Series }

// TooManySamples reports whether the response is over the limit of samples. If it is over neither limit, a series is too long.
func (e *LimitError) TooManySamples() bool { return e.Samples > 0 && e.SampleCount > e.Samples }

// Check returns a *[LimitError] if the numbers of series, of all samples, or of the samples of the longest series are over a
// limit.
func (l Limits) Check(series, samples, longest int) error {
	if l.Series > 0 && series > l.Series || l.Samples > 0 && samples > l.Samples || l.SamplesPerSeries > 0 && longest > l.SamplesPerSeries {
		return &LimitError{Limits: l, SeriesCount: series, SampleCount: samples, LongestSeries: longest}
	}
	return nil
}

// tally counts the series and samples of a response.
type tally struct {
	limits Limits
	series int
	// total counts the samples of the series that are decoded.
	total *Total
	// longest is the number of samples of the longest series.
	longest int
	// over reports that the response is over a limit with the current series. The series is counted, but not stored.
	over bool
	// room is how many samples of the current series may be stored, and skipped is how many were not.
	room, skipped int
	// cells and skippedCells are the same for the buckets of its native histograms.
	cells, skippedCells int
}

func newTally(l Limits) tally {
	t := tally{limits: l, total: l.Total}
	if t.total == nil {
		t.total = &Total{}
	}
	t.next()
	return t
}

// add counts a series of which so many samples were stored.
func (t *tally) add(stored int) {
	t.series++
	t.total.samples.Add(int64(stored + t.skipped))
	t.longest = max(t.longest, stored+t.skipped)
	t.next()
}

// addHistograms counts a series of which so many samples, and so many buckets of native histograms, were stored.
func (t *tally) addHistograms(stored, cells, histograms int) {
	t.total.samples.Add(int64(cells + t.skippedCells))
	t.longest = max(t.longest, histograms)
	t.add(stored)
}

// next prepares for another series.
func (t *tally) next() {
	const unlimited = int(^uint(0) >> 1)
	t.room, t.skipped = unlimited, 0
	t.cells, t.skippedCells = unlimited, 0
	if t.limits.Samples > 0 {
		t.room = max(0, t.limits.Samples-t.samples())
		t.cells = t.room
	}
	if t.limits.SamplesPerSeries > 0 {
		t.room = min(t.room, t.limits.SamplesPerSeries)
	}
	if t.over = t.limits.Check(t.series+1, t.samples(), t.longest) != nil; t.over {
		t.room, t.cells = 0, 0
	}
}

// withinLimits reports whether the response is within its limits with the series counted last.
func (t *tally) withinLimits() bool { return t.err() == nil }

func (t *tally) err() error { return t.limits.Check(t.series, t.samples(), t.longest) }

func (t *tally) samples() int { return int(t.total.samples.Load()) }
