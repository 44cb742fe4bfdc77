package results

import (
	"context"
	"fmt"
	"strconv"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// Evaluate evaluates a range query with as small requests as possible, and as few, unless the platform is slow: it plans which steps of
// an extent are reused, fetches the others, merges them into the extent, and cuts the result out of it. A result that can't be
// reused bypasses the cache. For an instant query see instant.
//
// Errors are *transport.Error. Coalesced callers still get the result if the caller's context ends.
func (c *Cache) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	defer promql.Stage("cache", c.Source)()
	if reason := c.reasonToBypass(ctx, q); reason != "" {
		countUncached(kindOf(q), reason)
		count(kindOf(q), bypass)
		return c.bypass(ctx, q)
	}
	if q.Step == 0 {
		return c.instant(ctx, q)
	}
	plan := c.plan(q)
	if len(plan.fetch) == 0 {
		return c.cut(plan.cached, q, plan, hit)
	}
	fetched, err := c.fetchMissing(ctx, q, plan)
	outcome := partial
	if plan.reuse.empty() {
		outcome = miss
	}
	switch {
	case err != nil:
		count(kindRange, miss)
		return nil, c.explain(err)
	case fetched.extent == nil && fetched.response == nil: // a part can't be joined with the others
		count(kindRange, miss)
		return c.bypass(ctx, q)
	case fetched.response != nil:
		count(kindRange, miss)
		return atTime(fetched.response, q), nil
	case !fetched.extent.covers(q.Start, q.End):
		countUncached(kindRange, contention)
		count(kindRange, bypass)
		return c.bypass(ctx, q)
	}
	return c.cut(fetched.extent, q, plan, outcome)
}

// bypass requests all of a query. Identical calls are coalesced.
func (c *Cache) bypass(ctx context.Context, q promql.Query) (*promql.Result, error) {
	key := fmt.Sprintf("bypass\x00%d\x00%d\x00%d\x00%s", q.Start, q.End, q.Step, q.Expr)
	response, err := cache.Coalesce(ctx, c.store, key, func(ctx context.Context) (*promql.Result, error) { return c.source.Evaluate(ctx, q) })
	if err != nil {
		return nil, c.explain(err)
	}
	return atTime(response, q), nil
}

// stepRange is the steps from start to end, both included. It is empty if end is before start.
type stepRange struct{ start, end int64 }

func (s stepRange) empty() bool { return s.end < s.start }

func (s stepRange) within(other stepRange) stepRange {
	return stepRange{max(s.start, other.start), min(s.end, other.end)}
}

// fetchPlan says which steps of a query are reused from an extent, and which are fetched.
type fetchPlan struct {
	// key is that of the extent, and cached is the extent; nil if there is none.
	key    string
	cached *extent
	// clears is how often the cache had been cleared before the extent was read.
	clears uint64
	// reuse are the steps of the extent whose values are up to date. With nothing to fetch, they are the result.
	reuse stepRange
	// fetch are the ranges to request: at most one before the reused steps and one after them.
	fetch []stepRange
}

// maxSteps bounds an extent.
const maxSteps = 2 * promql.MaxPoints

// plan chooses the extent that a query uses, and makes the plan for it. A query has two extents: one that ends at the present, for
// dashboards that refresh, and one elsewhere, so that a look at the past does not replace the first.
func (c *Cache) plan(q promql.Query) fetchPlan {
	// Extents whose steps are at other multiples of the step are different entries.
	key := "range\x00" + strconv.FormatInt(q.Step, 10) + "\x00" + strconv.FormatInt(q.Start-floor(q.Start, q.Step), 10) + "\x00" + q.Scope + "\x00" + q.Expr
	plan := c.planOn(key, q)
	if plan.cached != nil && plan.reuse.empty() && q.End <= c.now()-c.RecentWindow.Milliseconds()-q.Step {
		plan = c.planOn(key+"\x00elsewhere", q)
	}
	if plan.cached != nil && c.mayBeAligned(q) {
		countUncached(kindRange, alignment)
	}
	return plan
}

// planOn makes the plan for the extent of a key. Nothing of it is reused if it is too far from the query to fetch the gap between them.
//
// It fetches either all steps that may have changed or none, so that a result is as of one time.
func (c *Cache) planOn(key string, q promql.Query) fetchPlan {
	now := c.now()
	everything := fetchPlan{key: key, clears: c.store.Clears(), reuse: stepRange{0, -1}, fetch: []stepRange{{q.Start, q.End}}}
	everything.cached, _ = cache.Get[*extent](c.store, key, 0)
	cached := everything.cached
	if cached == nil || c.mayBeAligned(q) {
		return everything
	}
	p := everything
	// No new sample is expected in the scrape interval in which the extent was fetched.
	if cached.covers(q.Start, q.End) && c.sameInterval(cached.asOf, now) {
		p.reuse, p.fetch = stepRange{q.Start, q.End}, nil
		return p
	}
	reuse := c.unchanged(cached, q, now)
	// An extent has no gaps: steps between it and the query are fetched, too, unless they are too many.
	maxGap := max(c.RecentWindow.Milliseconds(), q.Step)
	after, before := q.Start > reuse.end+q.Step+maxGap, q.End < reuse.start-q.Step-maxGap
	if reuse.empty() || after || before || (max(reuse.end, q.End)-q.Start)/q.Step > maxSteps {
		return everything
	}
	p.reuse, p.fetch = reuse, nil
	if q.Start < reuse.start {
		p.fetch = append(p.fetch, stepRange{q.Start, reuse.start - q.Step})
	}
	if q.End > reuse.end {
		// Other dashboards may show later steps of the extent, which the new extent must have, too.
		newest := min(cached.end, q.Start+floor(now-q.Start, q.Step))
		p.fetch = append(p.fetch, stepRange{reuse.end + q.Step, max(q.End, newest)})
	}
	for _, s := range p.fetch {
		if (s.end-s.start)/q.Step > promql.MaxPoints {
			return everything
		}
	}
	return p
}

// unchanged are the steps of an extent whose values have not changed since they were fetched: those that are final, and whose
// samples are within the retention.
func (c *Cache) unchanged(cached *extent, q promql.Query, now int64) stepRange {
	// Some engines look back a step for any sample.
	lookback := q.Needs.Lookback.Milliseconds() + q.Step
	// If the clock was set back, the samples that had been deleted when the extent was fetched may exist now.
	deletedBefore := max(now, cached.asOf) - c.Retention.Milliseconds()
	first := max(cached.start, q.Start+ceil(deletedBefore+lookback-q.Start, q.Step))
	final := min(cached.final, q.Start+floor(now-c.RecentWindow.Milliseconds()-q.Start, q.Step))
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
func (c *Cache) mayBeAligned(q promql.Query) bool {
	unaligned, _ := c.unaligned.Get(c.Now())
	return wouldBeAligned(q) && !unaligned
}

// learnAlignment records that the platform does not align ranges, if the response to a query, which is on its steps, shows that.
func (c *Cache) learnAlignment(q promql.Query, response *promql.Result) {
	if wouldBeAligned(q) && len(response.Matrix.Series) > 0 {
		c.unaligned.Set(true, c.Now())
	}
}

// cut cuts the result of a request out of an extent.
func (c *Cache) cut(e *extent, q promql.Query, plan fetchPlan, outcome string) (*promql.Result, error) {
	origin := promql.Origin{AsOf: e.asOf}
	if reused := plan.reuse.within(stepRange{q.Start, q.End}); !reused.empty() {
		origin.CachedSteps = q.Between(reused.start, reused.end).Steps()
	}
	origin.FetchedSteps = q.Steps() - origin.CachedSteps
	count(kindRange, outcome)
	part := e.Slice(q.Start, q.End)
	if err := c.Limits.Check(len(part.Series), part.Samples()); err != nil {
		return nil, err
	}
	return &promql.Result{Type: parser.ValueTypeMatrix, Matrix: part, Infos: e.infos, Origin: origin}, nil
}

// atTime is a shared response as the result of a query. An instant query may have been evaluated at another time of its interval.
func atTime(response *promql.Result, q promql.Query) *promql.Result {
	own := *response
	if q.Step == 0 && own.Type != parser.ValueTypeMatrix {
		own.Matrix = own.Matrix.At(q.End)
	}
	return &own
}
