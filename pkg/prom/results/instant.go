package results

import (
	"context"
	"slices"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// instantEntry is the cached response to an instant query.
type instantEntry struct {
	*promql.Result
	asOf int64
	// final reports that no late sample changes the result.
	final bool
	// until is when the first of its samples is deleted if the result is final, and when the scrape interval ends if not, in
	// milliseconds.
	until int64
	size  int
}

func (e *instantEntry) bytes() int { return e.size }

func (e *instantEntry) expires() int64 { return e.until }

// result is the entry as a result with so many steps of the cache.
func (e *instantEntry) result(cached int) *promql.Result {
	own := *e.Result
	own.Origin = promql.Origin{FetchedSteps: 1 - cached, CachedSteps: cached, AsOf: e.asOf}
	return &own
}

// Instant evaluates an instant query. Queries about the present, which is the current scrape interval, share the result of the
// first of them, which has its time.
//
// Errors are *transport.Error.
func (c *Cache) Instant(ctx context.Context, q promql.Query) (*promql.Result, error) {
	defer promql.Stage("cache", c.Source)()
	asOf := c.now()
	reason := c.bypassed(ctx)
	if reason == "" && (len(q.Params) > 0 || q.Unlimited) {
		reason = requested
	}
	if reason != "" {
		countUncached(kindInstant, reason)
		response, err := c.source.Instant(ctx, q)
		if err != nil {
			return nil, c.explain(err)
		}
		return (&instantEntry{Result: response, asOf: asOf}).result(0), nil
	}
	clears := c.clears.Load()
	key := "instant\x00" + strconv.FormatInt(q.End, 10) + "\x00" + q.Expr
	if q.Needs.PromQL && c.sameInterval(q.End, asOf) {
		key = "now\x00" + strconv.FormatInt(floor(asOf, c.Interval.Milliseconds()), 10) + "\x00" + q.Expr
	}
	if cached, ok := c.instantEntry(key); ok {
		count(kindInstant, hit)
		return cached.result(1), nil
	}
	if q.Needs.PromQL {
		count(kindInstant, miss)
	} else {
		countUncached(kindInstant, notPromQL)
	}
	fetched, err := coalesce(ctx, &c.instantCalls, key, func(ctx context.Context) (*instantEntry, error) {
		if cached, ok := c.instantEntry(key); ok {
			return cached, nil
		}
		asOf := c.now()
		response, err := c.source.Instant(ctx, q)
		if err != nil {
			return nil, err
		}
		e := c.newInstantEntry(response, q, asOf)
		switch {
		case !q.Needs.PromQL:
		case len(response.Warnings) > 0:
			countUncached(kindInstant, warning)
		default:
			c.set(kindInstant, key, e, clears)
		}
		return e, nil
	})
	if err != nil {
		return nil, c.explain(err)
	}
	return fetched.result(0), nil
}

// instantEntry returns the entry of a key, if it has not expired.
func (c *Cache) instantEntry(key string) (*instantEntry, bool) {
	e, ok := get[*instantEntry](c, key)
	if !ok {
		return nil, false
	}
	now := c.now()
	return e, c.sameInterval(e.asOf, now) || e.final && e.asOf <= now && now < e.until
}

func (c *Cache) newInstantEntry(response *promql.Result, q promql.Query, asOf int64) *instantEntry {
	interval := c.Interval.Milliseconds()
	times := append([]int64{q.End}, q.Needs.Fixed...)
	newest := slices.Max(times) + q.Needs.Ahead.Milliseconds()
	e := &instantEntry{
		Result: response, asOf: asOf,
		final: q.Needs.Vector && newest <= dateOf(response, asOf)-c.RecentWindow.Milliseconds(),
		until: floor(asOf, interval) + interval,
		size:  response.Matrix.Bytes() + len(response.Text),
	}
	if e.final {
		deleted := slices.Min(times) - q.Needs.Lookback.Milliseconds() + c.Retention.Milliseconds()
		e.until = max(e.until, min(deleted, c.reusedUntil(asOf)))
	}
	return e
}
