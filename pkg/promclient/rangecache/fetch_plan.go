package rangecache

import "github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promql"

// rangeRequest is a range query in milliseconds. end is a whole number of steps after start.
type rangeRequest struct {
	start, end, step, lookback int64
	// clears is how often the cache had been cleared when the query arrived.
	clears uint64
}

// stepRange is the steps from start to end, both included. It is empty if end is before start.
type stepRange struct{ start, end int64 }

func (s stepRange) empty() bool { return s.end < s.start }

// fetchPlan says where the steps of a request come from.
type fetchPlan struct {
	// keep are the steps that the extent provides. If there is nothing to fetch, they are the result.
	keep stepRange
	// fetch are the steps to request: at most one range before keep and one after it.
	fetch []stepRange
	// detached reports that there is an extent, but too far from the request to fill the gap between them.
	detached bool
}

// maxSteps bounds an extent.
const maxSteps = 2 * promql.MaxPoints

// fetchEverything is the plan without steps of the cache.
func fetchEverything(r rangeRequest) fetchPlan {
	return fetchPlan{keep: stepRange{0, -1}, fetch: []stepRange{{r.start, r.end}}}
}

// plan decides which steps of an extent, which may be nil, a request reuses, and which are fetched.
//
// It fetches either all steps that may have changed or none, so that a result is consistent: it is as of one time.
func (c *Cache) plan(cached *extent, r rangeRequest, now int64) fetchPlan {
	everything := fetchEverything(r)
	if cached == nil {
		return everything
	}
	if cached.covers(r.start, r.end) && c.sameInterval(cached.asOf, now) {
		return fetchPlan{keep: stepRange{r.start, r.end}}
	}
	keep := c.unchanged(cached, r, now)
	if keep.empty() {
		return everything
	}
	gap := max(c.RecentWindow.Milliseconds(), r.step)
	if r.start > keep.end+r.step+gap || r.end < keep.start-r.step-gap || (max(keep.end, r.end)-r.start)/r.step > maxSteps {
		everything.detached = true
		return everything
	}
	p := fetchPlan{keep: keep}
	if r.start < keep.start {
		p.fetch = append(p.fetch, stepRange{r.start, keep.start - r.step})
	}
	if r.end > keep.end {
		// The newest steps of the extent are fetched, too: other dashboards show them.
		newest := min(cached.end, r.start+floor(now-r.start, r.step))
		p.fetch = append(p.fetch, stepRange{keep.end + r.step, max(r.end, newest)})
	}
	for _, s := range p.fetch {
		if (s.end-s.start)/r.step > promql.MaxPoints {
			everything.detached = true
			return everything
		}
	}
	return p
}

// unchanged are the steps of an extent that have the same values now: those whose samples are within the retention, and that
// are final.
func (c *Cache) unchanged(cached *extent, r rangeRequest, now int64) stepRange {
	// After the clock was set back, samples that had been deleted by the clock before may exist.
	deletedBefore := max(now, cached.asOf) - c.Retention.Milliseconds()
	first := max(cached.start, r.start+ceil(deletedBefore+r.lookback-r.start, r.step))
	final := min(cached.final, r.start+floor(now-c.RecentWindow.Milliseconds()-r.start, r.step))
	return stepRange{first, min(final, cached.end)}
}
