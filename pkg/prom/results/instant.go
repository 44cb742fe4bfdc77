package results

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// instantEntry is the cached response to an instant query.
type instantEntry struct {
	*Response
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

// Instant runs an instant query. Queries about the present, which is the current scrape interval, share the result of the
// first of them, which has its time. The caller owns the frames of the result, but not the labels.
//
// Errors are fetch's, or the context's if the caller's context ends.
func (c *Cache) Instant(ctx context.Context, expr string, needs promql.Needs, at time.Time, fetch func(context.Context) (*Response, error)) (*promjson.Result, Origin, error) {
	origin := Origin{FetchedSteps: 1, AsOf: c.now()}
	if reason := c.bypassed(ctx); reason != "" {
		countUncached(kindInstant, reason)
		response, err := fetch(ctx)
		if err != nil {
			return nil, Origin{}, err
		}
		return response.Result, origin, nil
	}
	clears := c.clears.Load()
	key := "instant\x00" + strconv.FormatInt(at.UnixMilli(), 10) + "\x00" + expr
	if needs.PromQL && c.sameInterval(at.UnixMilli(), origin.AsOf) {
		key = "now\x00" + strconv.FormatInt(floor(origin.AsOf, c.Interval.Milliseconds()), 10) + "\x00" + expr
	}
	if cached, ok := c.instantEntry(key); ok {
		count(kindInstant, hit)
		return copyOf(cached.Result), Origin{CachedSteps: 1, AsOf: cached.asOf}, nil
	}
	if needs.PromQL {
		count(kindInstant, miss)
	} else {
		countUncached(kindInstant, notPromQL)
	}
	fetched, err := coalesce(ctx, &c.instantCalls, key, func(ctx context.Context) (*instantEntry, error) {
		if cached, ok := c.instantEntry(key); ok {
			return cached, nil
		}
		asOf := c.now()
		response, err := fetch(ctx)
		if err != nil {
			return nil, err
		}
		e := c.newInstantEntry(response, needs, at.UnixMilli(), asOf)
		if needs.PromQL && complete(response.Result) {
			c.set(key, e, clears)
		}
		return e, nil
	})
	if err != nil {
		return nil, Origin{}, err
	}
	origin.AsOf = fetched.asOf
	return copyOf(fetched.Result), origin, nil
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

func (c *Cache) newInstantEntry(response *Response, needs promql.Needs, at, asOf int64) *instantEntry {
	interval := c.Interval.Milliseconds()
	times := append([]int64{at}, needs.Fixed...)
	newest := slices.Max(times) + needs.Ahead.Milliseconds()
	e := &instantEntry{
		Response: response, asOf: asOf,
		final: needs.Vector && newest <= response.date(asOf)-c.RecentWindow.Milliseconds(),
		until: floor(asOf, interval) + interval,
		size:  series.FramesBytes(response.Frames),
	}
	if e.final {
		deleted := slices.Min(times) - needs.Lookback.Milliseconds() + c.Retention.Milliseconds()
		e.until = max(e.until, min(deleted, c.reusedUntil(asOf)))
	}
	return e
}
