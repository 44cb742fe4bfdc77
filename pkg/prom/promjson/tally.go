package promjson

import "github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"

// tally counts the series and samples of a response.
type tally struct {
	limits promql.Limits
	series int
	// total counts the samples of the series that are decoded.
	total *promql.Total
	// longest is the number of samples of the longest series.
	longest int
	// over reports that the response is over a limit with the current series. The series is counted, but not stored.
	over bool
	// room is how many samples of the current series may be stored, and skipped is how many were not.
	room, skipped int
	// cells and skippedCells are the same for the buckets of its native histograms.
	cells, skippedCells int
	// histograms is how many native histograms it has, and empty is how many of them have no buckets. Each of these counts as a sample.
	histograms, empty int
}

func newTally(l promql.Limits) tally {
	t := tally{limits: l, total: l.Total}
	if t.total == nil {
		t.total = &promql.Total{}
	}
	t.next()
	return t
}

// add counts a series of which so many samples, and so many buckets of native histograms, were stored.
func (t *tally) add(stored, cells int) {
	t.series++
	t.total.Add(stored + t.skipped + cells + t.skippedCells + t.empty)
	t.longest = max(t.longest, stored+t.skipped, t.histograms)
	t.next()
}

// hasRoom reports whether the native histogram that was counted last may be stored, when so many buckets are.
func (t *tally) hasRoom(cells int) bool {
	return t.skippedCells == 0 && cells+t.empty <= t.cells && (t.limits.SamplesPerSeries == 0 || t.histograms <= t.limits.SamplesPerSeries)
}

// next prepares for another series.
func (t *tally) next() {
	const unlimited = int(^uint(0) >> 1)
	t.room, t.skipped = unlimited, 0
	t.cells, t.skippedCells, t.histograms, t.empty = unlimited, 0, 0, 0
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

// err is the error of a response that is over its limits with the series counted last, or nil.
func (t *tally) err() error { return t.limits.Check(t.series, t.samples(), t.longest) }

func (t *tally) samples() int { return t.total.Add(0) }
