package results

import (
	"context"
	"slices"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// Instant evaluates an instant query. Queries about the present, which is the current scrape interval, share the result of the
// first of them, which has its time.
//
// Errors are *transport.Error.
func (c *Cache) Instant(ctx context.Context, q promql.Query) (*promql.Result, error) {
	defer promql.Stage("cache", c.Source)()
	asOf := c.now()
	reason := c.bypassed(ctx)
	if reason == "" && q.Alone() {
		reason = requested
	}
	if reason != "" {
		countUncached(kindInstant, reason)
		response, err := c.source.Instant(ctx, q)
		if err != nil {
			return nil, c.explain(err)
		}
		return response.From(promql.Origin{FetchedSteps: 1, AsOf: asOf}), nil
	}
	key := "instant\x00" + strconv.FormatInt(q.End, 10) + "\x00" + q.Expr
	if q.Needs.PromQL && c.sameInterval(q.End, asOf) {
		key = "now\x00" + strconv.FormatInt(floor(asOf, c.Interval.Milliseconds()), 10) + "\x00" + q.Expr
	}
	e, cached, err := through(ctx, c, kindInstant, key, func(ctx context.Context) (*timed[*promql.Result], error) {
		asOf := c.now()
		response, err := c.source.Instant(ctx, q)
		if err != nil {
			return nil, err
		}
		return c.newInstantEntry(response, q, asOf), nil
	})
	if err != nil {
		return nil, err
	}
	origin := promql.Origin{FetchedSteps: 1, AsOf: e.asOf}
	if cached {
		origin.FetchedSteps, origin.CachedSteps = 0, 1
	}
	return e.value.From(origin), nil
}

// newInstantEntry is the entry of a response. It is of use until the scrape interval ends, or, if no late sample changes it, until the
// first of its samples is deleted.
func (c *Cache) newInstantEntry(response *promql.Result, q promql.Query, asOf int64) *timed[*promql.Result] {
	interval := c.Interval.Milliseconds()
	times := append([]int64{q.End}, q.Needs.Fixed...)
	newest := slices.Max(times) + q.Needs.Ahead.Milliseconds()
	e := &timed[*promql.Result]{value: response, asOf: asOf, until: floor(asOf, interval) + interval, size: response.Matrix.Bytes() + len(response.Text)}
	if final := q.Needs.Vector && newest <= dateOf(response, asOf)-c.RecentWindow.Milliseconds(); final {
		deleted := slices.Min(times) - q.Needs.Lookback.Milliseconds() + c.Retention.Milliseconds()
		e.until = max(e.until, min(deleted, c.reusedUntil(asOf)))
	}
	switch {
	case !q.Needs.PromQL:
		e.uncached = notPromQL
	case len(response.Warnings) > 0:
		e.uncached = warning
	}
	return e
}
