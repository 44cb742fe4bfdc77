package results

import (
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// rangeRequest is a range query in milliseconds. end is a whole number of steps after start.
type rangeRequest struct {
	start, end, step, lookback int64
	// window is the time before a step of which the value needs samples.
	window time.Duration
	// clears is how often the cache had been cleared when the query arrived.
	clears uint64
}

// stepRange is the steps from start to end, both included. It is empty if end is before start.
type stepRange struct{ start, end int64 }

func (s stepRange) empty() bool { return s.end < s.start }

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
func fetchEverything(r rangeRequest) fetchPlan {
	return fetchPlan{reuse: stepRange{0, -1}, fetch: []stepRange{{r.start, r.end}}}
}

// plan makes the plan for a request, of an extent that may be nil.
//
// It fetches either all steps that may have changed or none, so that a result is as of one time.
func (c *Cache) plan(cached *extent, r rangeRequest, now int64) fetchPlan {
	everything := fetchEverything(r)
	if cached == nil {
		return everything
	}
	// No new sample is expected in the scrape interval in which the extent was fetched.
	if cached.covers(r.start, r.end) && c.sameInterval(cached.asOf, now) {
		return fetchPlan{reuse: stepRange{r.start, r.end}}
	}
	reuse := c.unchanged(cached, r, now)
	if reuse.empty() {
		return everything
	}
	// An extent has no gaps: steps between it and the request are fetched, too, unless they are too many.
	maxGap := max(c.RecentWindow.Milliseconds(), r.step)
	after, before := r.start > reuse.end+r.step+maxGap, r.end < reuse.start-r.step-maxGap
	if after || before || (max(reuse.end, r.end)-r.start)/r.step > maxSteps {
		everything.detached = true
		return everything
	}
	p := fetchPlan{reuse: reuse}
	if r.start < reuse.start {
		p.fetch = append(p.fetch, stepRange{r.start, reuse.start - r.step})
	}
	if r.end > reuse.end {
		// Other dashboards may show later steps of the extent, which the new extent must have, too.
		newest := min(cached.End, r.start+floor(now-r.start, r.step))
		p.fetch = append(p.fetch, stepRange{reuse.end + r.step, max(r.end, newest)})
	}
	for _, s := range p.fetch {
		if (s.end-s.start)/r.step > promql.MaxPoints {
			everything.detached = true
			return everything
		}
	}
	return p
}

// unchanged are the steps of an extent whose values have not changed since they were fetched: those that are final, and whose
// samples are within the retention.
func (c *Cache) unchanged(cached *extent, r rangeRequest, now int64) stepRange {
	// If the clock was set back, the samples that had been deleted when the extent was fetched may exist now.
	deletedBefore := max(now, cached.asOf) - c.Retention.Milliseconds()
	first := max(cached.Start, r.start+ceil(deletedBefore+r.lookback-r.start, r.step))
	final := min(cached.final, r.start+floor(now-c.RecentWindow.Milliseconds()-r.start, r.step))
	return stepRange{first, min(final, cached.End)}
}
