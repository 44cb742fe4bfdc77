package results

import (
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// stepRange is the steps from start to end, both included. It is empty if end is before start.
type stepRange struct{ start, end int64 }

func (s stepRange) empty() bool { return s.end < s.start }

// within are the steps that both have.
func (s stepRange) within(other stepRange) stepRange {
	return stepRange{max(s.start, other.start), min(s.end, other.end)}
}

// fetchPlan says which steps of a request are reused from an extent, and which are fetched.
type fetchPlan struct {
	// reuse are the steps of the extent whose values are up to date. With nothing to fetch, they are the result.
	reuse stepRange
	// fetch are the ranges to request: at most one before the reused steps and one after them.
	fetch []stepRange
	// detached reports that there is an extent, but too far from the request to fetch the gap between them.
	detached bool
}

// maxSteps bounds an extent.
const maxSteps = 2 * promql.MaxPoints

// fetchEverything is the plan that reuses nothing.
func fetchEverything(r request) fetchPlan {
	return fetchPlan{reuse: stepRange{0, -1}, fetch: []stepRange{{r.Start, r.End}}}
}

// plan makes the plan for a request, of an extent that may be nil.
//
// It fetches either all steps that may have changed or none, so that a result is as of one time.
func (c *Cache) plan(cached *extent, r request, now int64) fetchPlan {
	everything := fetchEverything(r)
	if cached == nil {
		return everything
	}
	// No new sample is expected in the scrape interval in which the extent was fetched.
	if cached.covers(r.Start, r.End) && c.sameInterval(cached.asOf, now) {
		return fetchPlan{reuse: stepRange{r.Start, r.End}}
	}
	reuse := c.unchanged(cached, r, now)
	if reuse.empty() {
		return everything
	}
	// An extent has no gaps: steps between it and the request are fetched, too, unless they are too many.
	maxGap := max(c.RecentWindow.Milliseconds(), r.Step)
	after, before := r.Start > reuse.end+r.Step+maxGap, r.End < reuse.start-r.Step-maxGap
	if after || before || (max(reuse.end, r.End)-r.Start)/r.Step > maxSteps {
		everything.detached = true
		return everything
	}
	p := fetchPlan{reuse: reuse}
	if r.Start < reuse.start {
		p.fetch = append(p.fetch, stepRange{r.Start, reuse.start - r.Step})
	}
	if r.End > reuse.end {
		// Other dashboards may show later steps of the extent, which the new extent must have, too.
		newest := min(cached.end, r.Start+floor(now-r.Start, r.Step))
		p.fetch = append(p.fetch, stepRange{reuse.end + r.Step, max(r.End, newest)})
	}
	for _, s := range p.fetch {
		if (s.end-s.start)/r.Step > promql.MaxPoints {
			everything.detached = true
			return everything
		}
	}
	return p
}

// unchanged are the steps of an extent whose values have not changed since they were fetched: those that are final, and whose
// samples are within the retention.
func (c *Cache) unchanged(cached *extent, r request, now int64) stepRange {
	// Some engines look back a step for any sample.
	lookback := r.Needs.Lookback.Milliseconds() + r.Step
	// If the clock was set back, the samples that had been deleted when the extent was fetched may exist now.
	deletedBefore := max(now, cached.asOf) - c.Retention.Milliseconds()
	first := max(cached.start, r.Start+ceil(deletedBefore+lookback-r.Start, r.Step))
	final := min(cached.final, r.Start+floor(now-c.RecentWindow.Milliseconds()-r.Start, r.Step))
	return stepRange{first, min(final, cached.end)}
}

// alignedPoints is the number of points from which on VictoriaMetrics moves the ends of a range to multiples of the step,
// unless the request has nocache=1. That parameter also turns off its own cache, and is unknown to other engines.
//
// Source: https://github.com/VictoriaMetrics/VictoriaMetrics/issues/563
const alignedPoints = 50

// wouldBeAligned reports whether such an engine moves a range: its steps are many, and no multiples of the step. Time zones
// cause that, where the step is longer than the minutes of the offset.
func wouldBeAligned(q promql.Query) bool { return q.Start%q.Step != 0 && q.Steps() >= alignedPoints }

// mayBeAligned reports whether the platform may return other steps than those of a request. Such a request must fetch the
// whole range: responses to shorter parts of it have the steps of the request.
//
// A cached extent that the platform did not align is reused for as long as it lasts: a response on other steps does not merge into it.
func (c *Cache) mayBeAligned(cached *extent, r request) bool {
	if !wouldBeAligned(r.Query) || cached != nil && cached.unaligned {
		return false
	}
	unaligned, _ := c.unaligned.Get(c.Now())
	return !unaligned
}

// learnAlignment records and reports that the platform does not align ranges, if the response to a query, which is on its steps, shows
// that.
func (c *Cache) learnAlignment(q promql.Query, response *promql.Result) bool {
	if !wouldBeAligned(q) || len(response.Matrix.Series) == 0 {
		return false
	}
	c.unaligned.Set(true, c.Now())
	return true
}
