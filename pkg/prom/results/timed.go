package results

import (
	"context"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
)

// timed is a cached value that is reused for a time: a list, or the result of an instant query.
type timed[T any] struct {
	value T
	// asOf is when it was fetched, and until is when it expires, in milliseconds.
	asOf, until int64
	size        int
	// uncached is the reason why it is not stored, or empty.
	uncached string
}

func (t *timed[T]) bytes() int { return t.size }

func (t *timed[T]) expires() int64 { return t.until }

// fresh returns the entry of a key, unless it has expired. One of the future is not fresh: the clock has been set back.
func fresh[T any](c *Cache, key string) (*timed[T], bool) {
	e, ok := get[*timed[T]](c, key)
	now := c.now()
	return e, ok && e.asOf <= now && now < e.until
}

// through returns the entry of a key, or fetches it. Calls with the same key are coalesced.
func through[T any](ctx context.Context, c *Cache, calls *panics.Calls[*timed[T]], kind, key string, fetch func(context.Context) (*timed[T], error)) (e *timed[T], cached bool, err error) {
	if e, ok := fresh[T](c, key); ok {
		count(kind, hit)
		return e, true, nil
	}
	clears := c.clears.Load()
	e, err = coalesce(ctx, calls, key, func(ctx context.Context) (*timed[T], error) {
		if e, ok := fresh[T](c, key); ok {
			return e, nil
		}
		e, err := fetch(ctx)
		if err == nil && e.uncached == "" {
			c.set(kind, key, e, clears)
		}
		return e, err
	})
	if err == nil && e.uncached != "" {
		countUncached(kind, e.uncached)
	}
	if err != nil || e.uncached != notPromQL {
		count(kind, miss)
	}
	return e, false, c.explain(err)
}
