package results

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// timed is a value that is reused for a time: a list, or the result of an instant query.
type timed[T any] struct {
	value T
	// asOf is when it was fetched, and until is when it expires, in milliseconds.
	asOf, until int64
	size        int
	// uncached is the reason why it is not stored, or empty.
	uncached string
}

// through returns the value of a key, or fetches it. Calls with the same key are coalesced.
func through[T any](ctx context.Context, c *Cache, kind, key string, fetch func(context.Context) (*timed[T], error)) (e *timed[T], cached bool, err error) {
	if e, ok := cache.Get[*timed[T]](c.store, key, 0); ok {
		count(kind, hit)
		return e, true, nil
	}
	clears := c.store.Clears()
	e, err = cache.Coalesce(ctx, c.store, key, func(ctx context.Context) (*timed[T], error) {
		// Another call may have finished meanwhile.
		if e, ok := cache.Get[*timed[T]](c.store, key, 0); ok {
			return e, nil
		}
		e, err := fetch(ctx)
		if err == nil && e.uncached == "" && !c.store.Set(key, e, e.size, c.Now(), time.UnixMilli(e.until), clears) {
			e.uncached = tooLarge
		}
		return e, err
	})
	if err == nil && e.uncached != "" {
		countUncached(kind, e.uncached)
	}
	count(kind, miss)
	return e, false, c.explain(err)
}

// instant evaluates an instant query. Queries about the present, which is the current scrape interval, share the result of the first of
// them.
func (c *Cache) instant(ctx context.Context, q promql.Query) (*promql.Result, error) {
	key := "instant\x00" + strconv.FormatInt(q.End, 10) + "\x00" + q.Expr
	if now := c.now(); c.sameInterval(q.End, now) {
		key = "now\x00" + strconv.FormatInt(floor(now, c.Interval.Milliseconds()), 10) + "\x00" + q.Expr
	}
	e, cached, err := through(ctx, c, kindInstant, key, func(ctx context.Context) (*timed[*promql.Result], error) {
		asOf := c.now()
		response, err := c.source.Evaluate(ctx, q)
		if err != nil {
			return nil, err
		}
		return c.newInstantEntry(response, q, asOf), nil
	})
	if err != nil {
		return nil, err
	}
	fetched := 1
	if cached {
		fetched = 0
	}
	return resultOf(e.value, q, e.asOf, fetched), nil
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
	if len(response.Warnings) > 0 {
		e.uncached = warning
	}
	return e
}

// listTTL is how long lists of label names, label values and series are cached.
const listTTL = time.Minute

// List returns a list through the cache. Grafana requests it for ranges that end now, so ranges that start and end in the same
// minutes are treated as equal.
//
// Errors are *transport.Error.
func (c *Cache) List(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	defer promql.Stage("cache", c.Source)()
	if reason := c.bypassed(ctx); reason != "" {
		countUncached(kindList, reason)
		list, err := c.source.List(ctx, q)
		return list, c.explain(err)
	}
	found, _, err := through(ctx, c, kindList, listKey(q), func(ctx context.Context) (*timed[*promql.List], error) {
		asOf := c.now()
		list, err := c.source.List(ctx, q)
		if err != nil {
			return nil, err
		}
		e := &timed[*promql.List]{value: list, asOf: asOf, until: asOf + listTTL.Milliseconds(), size: list.Bytes()}
		if len(list.Warnings) > 0 {
			e.uncached = warning
		}
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	return found.value, nil
}

func listKey(q promql.ListQuery) string {
	q.Start, q.End = q.Start.Truncate(time.Minute), q.End.Truncate(time.Minute)
	return fmt.Sprintf("list\x00%#v", q)
}
