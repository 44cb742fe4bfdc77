package promjson

import "fmt"

// Limits bound how much of an answer is kept. A limit of 0 is none.
type Limits struct {
	// Series is how many time series an answer may have.
	Series int
	// Samples is how many samples all of them may have together. Each bucket of a native histogram counts as one.
	Samples int
	// Each is how many samples, or native histograms, one of them may have.
	Each int
}

// LimitError means that an answer has more than its limits allow. The counts are those of the whole answer.
type LimitError struct {
	Limits
	// HasSeries and HasSamples are what the answer has, and HasEach what its longest series has.
	HasSeries, HasSamples, HasEach int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d series and %d samples, %d in one, where %d, %d and %d are allowed",
		e.HasSeries, e.HasSamples, e.HasEach, e.Series, e.Samples, e.Each)
}

// TooManySeries tells which limit was passed: that of series, or that of samples.
func (e *LimitError) TooManySeries() bool { return e.Series > 0 && e.HasSeries > e.Series }

// TooManySamples tells the same of the limit of samples; where neither was, a series is too long.
func (e *LimitError) TooManySamples() bool { return e.Samples > 0 && e.HasSamples > e.Samples }

// Check returns a *[LimitError] if so many series, with so many samples in all and in the longest, are over the limits.
func (l Limits) Check(series, samples, longest int) error {
	if l.Series > 0 && series > l.Series || l.Samples > 0 && samples > l.Samples || l.Each > 0 && longest > l.Each {
		return &LimitError{Limits: l, HasSeries: series, HasSamples: samples, HasEach: longest}
	}
	return nil
}

// tally counts what an answer has, kept or not.
type tally struct {
	limits Limits
	// series and samples are those of the series that have been read to their end.
	series, samples, longest int
	// over tells that a limit has been passed, by the series that is being read if not before: nothing is needed of it but
	// its size.
	over bool
	// room is how many samples of the series that is being read may be kept, and skipped how many were not.
	room, skipped int
	// cells and skippedCells are the same of the buckets of its native histograms.
	cells, skippedCells int
}

func newTally(l Limits) tally {
	t := tally{limits: l}
	t.next()
	return t
}

// add counts a series of which so many samples were kept.
func (t *tally) add(kept int) {
	t.series++
	t.samples += kept + t.skipped
	t.longest = max(t.longest, kept+t.skipped)
	t.next()
}

// addHistograms counts a series of which so many samples and so many buckets of native histograms were kept.
func (t *tally) addHistograms(kept, cells, histograms int) {
	t.samples += cells + t.skippedCells
	t.longest = max(t.longest, histograms)
	t.add(kept)
}

// next prepares for another series.
func (t *tally) next() {
	const unlimited = int(^uint(0) >> 1)
	t.room, t.skipped = unlimited, 0
	t.cells, t.skippedCells = unlimited, 0
	if t.limits.Samples > 0 {
		t.room = max(0, t.limits.Samples-t.samples)
		t.cells = t.room
	}
	if t.limits.Each > 0 {
		t.room = min(t.room, t.limits.Each)
	}
	if t.over = t.limits.Check(t.series+1, t.samples, t.longest) != nil; t.over {
		t.room, t.cells = 0, 0
	}
}

// keeps reports whether the series that was counted last belongs to an answer within the limits.
func (t *tally) keeps() bool { return t.err() == nil }

func (t *tally) err() error { return t.limits.Check(t.series, t.samples, t.longest) }
