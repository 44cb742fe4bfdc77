package results

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// RangeQuery is a range query whose End is a whole number of steps after Start. All other parameters of the request must be
// the same for all queries of a cache.
type RangeQuery struct {
	Expr       string
	Needs      promql.Needs
	Start, End time.Time
	Step       time.Duration
	// Scope separates entries of one expression. The cache keeps one past range of an expression, and those of several runs of a
	// training would replace each other.
	Scope string
}

// FetchRange sends a request for steps of a query.
type FetchRange func(context.Context, RangeRequest) (*Response, error)

// RangeRequest is a request for the steps from Start to End.
type RangeRequest struct {
	Start, End time.Time
	// Total counts the response with those to other parts of the range; it is nil for a whole range.
	Total *promjson.Total
}

// maxAttempts bounds how often a range query selects an extent and fetches again because the new extent lacks some of its
// steps: concurrent queries with other ranges may trim it.
const maxAttempts = 3

// Range runs a range query with as small requests as possible, and as few, unless the platform is slow. The caller owns the frames of
// the result, if it has some, but not their labels, and not a matrix.
//
// Errors are fetch's, a *[promjson.LimitError], or the context's if the caller's context ends; coalesced callers still get
// the result then.
func (c *Cache) Range(ctx context.Context, q RangeQuery, fetch FetchRange) (*promjson.Result, Origin, error) {
	r := rangeRequest{start: q.Start.UnixMilli(), step: q.Step.Milliseconds(), clears: c.clears.Load()}
	r.end = r.start + floor(q.End.UnixMilli()-r.start, r.step)
	// Some engines look back a step for any sample.
	r.lookback, r.window = (q.Needs.Lookback + q.Step).Milliseconds(), q.Needs.Window+q.Step
	if reason := c.reasonToBypass(ctx, q, (r.end-r.start)/r.step); reason != "" {
		countUncached(kindRange, reason)
		return c.bypass(ctx, q, r, fetch)
	}
	// Extents whose steps are at other multiples of the step are different entries.
	key := "range\x00" + strconv.FormatInt(r.step, 10) + "\x00" + strconv.FormatInt(r.start-floor(r.start, r.step), 10) + "\x00" + q.Scope + "\x00" + q.Expr
	for range maxAttempts {
		extentKey, cached, plan := c.selectExtent(key, r)
		if c.mayBeAligned(r) {
			plan = fetchEverything(r)
		}
		if len(plan.fetch) == 0 {
			return c.resultOf(cached, r, plan, hit)
		}
		fetched, err := c.fetchMissing(ctx, extentKey, cached, plan, r, fetch)
		switch {
		case err != nil:
			count(kindRange, miss)
			return nil, Origin{}, err
		case fetched.extent != nil && fetched.extent.covers(r.start, r.end):
			outcome := partial
			if plan.reuse.empty() {
				outcome = miss
			}
			return c.resultOf(fetched.extent, r, plan, outcome)
		case fetched.response != nil:
			count(kindRange, miss)
			return copyOf(fetched.response.Result), c.allFetched(r, fetched.asOf), nil
		}
	}
	countUncached(kindRange, contention)
	return c.bypass(ctx, q, r, fetch)
}

// bypass requests the whole range. Identical calls are coalesced.
func (c *Cache) bypass(ctx context.Context, q RangeQuery, r rangeRequest, fetch FetchRange) (*promjson.Result, Origin, error) {
	asOf := c.now()
	fetchWhole := func(ctx context.Context) (*Response, error) {
		return fetch(ctx, RangeRequest{Start: q.Start, End: q.End})
	}
	if !c.Enabled() {
		response, err := fetchWhole(ctx)
		if err != nil {
			return nil, Origin{}, err
		}
		return response.Result, c.allFetched(r, asOf), nil
	}
	key := fmt.Sprintf("%d\x00%d\x00%d\x00%s", q.Start.UnixMilli(), q.End.UnixMilli(), r.step, q.Expr)
	response, err := coalesce(ctx, &c.bypassCalls, key, fetchWhole)
	if err != nil {
		return nil, Origin{}, err
	}
	return copyOf(response.Result), c.allFetched(r, asOf), nil
}

// selectExtent returns the extent that a request uses, and the plan for it. A query has two extents: one that ends at the
// present, for dashboards that refresh, and one elsewhere, so that a look at the past does not replace the first.
func (c *Cache) selectExtent(key string, r rangeRequest) (extentKey string, cached *extent, plan fetchPlan) {
	now := c.now()
	cached, _ = get[*extent](c, key)
	plan = c.plan(cached, r, now)
	present := r.end > now-c.RecentWindow.Milliseconds()-r.step
	if plan.detached && !present {
		key += "\x00elsewhere"
		cached, _ = get[*extent](c, key)
		plan = c.plan(cached, r, now)
	}
	return key, cached, plan
}

// resultOf cuts the result of a request out of an extent.
func (c *Cache) resultOf(e *extent, r rangeRequest, plan fetchPlan, outcome string) (*promjson.Result, Origin, error) {
	total := int((r.end-r.start)/r.step) + 1
	reused := series.Grid{Start: max(r.start, plan.reuse.start), End: min(r.end, plan.reuse.end), Step: r.step}
	o := Origin{CachedSteps: reused.Steps(), AsOf: e.asOf}
	o.FetchedSteps = total - o.CachedSteps
	count(kindRange, outcome)
	countSteps(o)
	part := e.Slice(r.start, r.end)
	if err := c.Limits.Check(len(part.Series), part.Samples(), 0); err != nil {
		return nil, Origin{}, err
	}
	return &promjson.Result{Type: promjson.Matrix, Matrix: part, Infos: textsOf(e.infosOf(stepRange{r.start, r.end}))}, o, nil
}

// allFetched is the origin of a result without steps of the cache.
func (c *Cache) allFetched(r rangeRequest, asOf int64) Origin {
	o := Origin{FetchedSteps: int((r.end-r.start)/r.step) + 1, AsOf: asOf}
	countSteps(o)
	return o
}
