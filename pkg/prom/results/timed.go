package results

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// through returns the value of a key, or loads it: a list, or the result of an instant query.
func through[T any](ctx context.Context, c *Cache, kind, key string, load func(context.Context) (cache.Loaded[T], error)) (value T, cached bool, err error) {
	if value, ok := cache.Get[T](c.store, key, 0); ok {
		count(kind, hit)
		return value, true, nil
	}
	count(kind, miss)
	value, err = cache.Through(ctx, c.store, key, load)
	return value, false, c.explain(err)
}

// loaded is a value of so many bytes that is reused until a time, in milliseconds. With warnings it is not, because data may be missing.
func loaded[T any](c *Cache, kind, key string, value T, bytes int, until int64, warnings []string) cache.Loaded[T] {
	switch {
	case len(warnings) > 0:
		countUncached(kind, warning)
		until = 0
	case !c.store.Fits(key, bytes):
		countUncached(kind, tooLarge)
	}
	return cache.Loaded[T]{Value: value, Bytes: bytes, TTL: time.UnixMilli(until).Sub(c.Now())}
}

// instant evaluates an instant query, whose result is of use until the scrape interval ends. Queries about the present, which is the current
// interval, share the result of the first of them.
func (c *Cache) instant(ctx context.Context, q promql.Query) (*promql.Result, error) {
	key := "instant\x00" + strconv.FormatInt(q.End, 10) + "\x00" + q.Expr
	if now := c.now(); c.sameInterval(q.End, now) {
		key = "now\x00" + strconv.FormatInt(floor(now, c.Interval.Milliseconds()), 10) + "\x00" + q.Expr
	}
	result, cached, err := through(ctx, c, kindInstant, key, func(ctx context.Context) (cache.Loaded[*promql.Result], error) {
		response, err := c.source.Evaluate(ctx, q)
		if err != nil {
			return cache.Loaded[*promql.Result]{}, err
		}
		interval := c.Interval.Milliseconds()
		return loaded(c, kindInstant, key, response, response.Matrix.Bytes(), floor(response.Origin.AsOf, interval)+interval, response.Warnings), nil
	})
	if err != nil {
		return nil, err
	}
	own := atTime(result, q)
	if cached {
		own.Origin = promql.Origin{CachedSteps: 1, AsOf: own.Origin.AsOf}
	}
	return own, nil
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
		count(kindList, bypass)
		list, err := c.source.List(ctx, q)
		return list, c.explain(err)
	}
	key := listKey(q)
	list, _, err := through(ctx, c, kindList, key, func(ctx context.Context) (cache.Loaded[*promql.List], error) {
		asOf := c.now()
		list, err := c.source.List(ctx, q)
		if err != nil {
			return cache.Loaded[*promql.List]{}, err
		}
		return loaded(c, kindList, key, list, list.Bytes(), asOf+listTTL.Milliseconds(), list.Warnings), nil
	})
	return list, err
}

func listKey(q promql.ListQuery) string {
	q.Start, q.End = q.Start.Truncate(time.Minute), q.End.Truncate(time.Minute)
	return fmt.Sprintf("list\x00%#v", q)
}
