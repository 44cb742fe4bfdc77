package results

import (
	"context"
	"fmt"
	"strconv"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// maxAttempts bounds how often a range query selects an extent and fetches again because the new extent lacks some of its
// steps: concurrent queries with other ranges may trim it.
const maxAttempts = 3

// request is a range query, and how often the cache had been cleared when it arrived.
type request struct {
	promql.Query
	clears uint64
}

// Evaluate evaluates a range query with as small requests as possible, and as few, unless the platform is slow: it plans which steps of
// an extent are reused, fetches the others, merges them into the extent, and cuts the result out of it. A result that can't be
// reused bypasses the cache. For an instant query see instant.
//
// Errors are *transport.Error. Coalesced callers still get the result if the caller's context ends.
func (c *Cache) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	defer promql.Stage("cache", c.Source)()
	if reason := c.reasonToBypass(ctx, q); reason != "" {
		countUncached(kindOf(q), reason)
		return c.bypass(ctx, q)
	}
	if q.Step == 0 {
		return c.instant(ctx, q)
	}
	r := request{q, c.store.Clears()}
	// Extents whose steps are at other multiples of the step are different entries.
	key := "range\x00" + strconv.FormatInt(r.Step, 10) + "\x00" + strconv.FormatInt(r.Start-floor(r.Start, r.Step), 10) + "\x00" + q.Scope + "\x00" + q.Expr
	for range maxAttempts {
		extentKey, cached, plan := c.selectExtent(key, r)
		if len(plan.fetch) == 0 {
			return c.cut(cached, r, plan, hit)
		}
		fetched, err := c.fetchMissing(ctx, extentKey, cached, plan, r)
		switch {
		case err != nil:
			count(kindRange, miss)
			return nil, c.explain(err)
		case fetched.extent != nil && fetched.extent.covers(r.Start, r.End):
			outcome := partial
			if plan.reuse.empty() {
				outcome = miss
			}
			return c.cut(fetched.extent, r, plan, outcome)
		case fetched.response != nil:
			count(kindRange, miss)
			return resultOf(fetched.response, q, fetched.asOf, q.Steps()), nil
		}
	}
	countUncached(kindRange, contention)
	return c.bypass(ctx, q)
}

// bypass requests all of a query. Identical calls are coalesced, but for those with parameters or bounds of their own.
func (c *Cache) bypass(ctx context.Context, q promql.Query) (*promql.Result, error) {
	asOf := c.now()
	request := func(ctx context.Context) (*promql.Result, error) { return c.source.Evaluate(ctx, q) }
	var response *promql.Result
	var err error
	if c.MaxBytes > 0 && !isAlone(q) {
		key := fmt.Sprintf("bypass\x00%d\x00%d\x00%d\x00%s", q.Start, q.End, q.Step, q.Expr)
		response, err = cache.Coalesce(ctx, c.store, key, request)
	} else {
		response, err = request(ctx)
	}
	if err != nil {
		return nil, c.explain(err)
	}
	return resultOf(response, q, asOf, q.Steps()), nil
}

// selectExtent returns the extent that a request uses, and the plan for it. A query has two extents: one that ends at the
// present, for dashboards that refresh, and one elsewhere, so that a look at the past does not replace the first.
func (c *Cache) selectExtent(key string, r request) (extentKey string, cached *extent, plan fetchPlan) {
	now := c.now()
	cached, _ = cache.Get[*extent](c.store, key)
	plan = c.plan(cached, r, now)
	present := r.End > now-c.RecentWindow.Milliseconds()-r.Step
	if plan.detached && !present {
		key += "\x00elsewhere"
		cached, _ = cache.Get[*extent](c.store, key)
		plan = c.plan(cached, r, now)
	}
	if c.mayBeAligned(cached, r) {
		if !plan.reuse.empty() {
			countUncached(kindRange, alignment)
		}
		plan = fetchEverything(r)
	}
	return key, cached, plan
}

// cut cuts the result of a request out of an extent.
func (c *Cache) cut(e *extent, r request, plan fetchPlan, outcome string) (*promql.Result, error) {
	origin := promql.Origin{AsOf: e.asOf}
	if reused := plan.reuse.within(stepRange{r.Start, r.End}); !reused.empty() {
		origin.CachedSteps = r.Between(reused.start, reused.end).Steps()
	}
	origin.FetchedSteps = r.Steps() - origin.CachedSteps
	count(kindRange, outcome)
	part := e.Slice(r.Start, r.End)
	if err := c.Limits.Check(len(part.Series), part.Samples()); err != nil {
		return nil, err
	}
	return &promql.Result{Type: parser.ValueTypeMatrix, Matrix: part, Infos: e.infos, Origin: origin}, nil
}

// resultOf is a response of a time as the result of a query, of which so many steps were fetched for it. An instant query may have been
// evaluated at another time of its interval.
func resultOf(response *promql.Result, q promql.Query, asOf int64, fetched int) *promql.Result {
	own := response.From(promql.Origin{FetchedSteps: fetched, CachedSteps: q.Steps() - fetched, AsOf: asOf})
	if q.Step == 0 && own.Type != parser.ValueTypeMatrix {
		own.Matrix = own.Matrix.At(q.End)
	}
	return own
}
