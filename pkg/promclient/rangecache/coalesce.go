package rangecache

import (
	"context"
	"sync/atomic"

	"resenje.org/singleflight"
)

// coalesce makes one call for all concurrent callers with the same key. The call continues while any of them waits, without
// the deadline of any, and is canceled when the last one stops waiting. A caller whose context ends gets its context's error.
func coalesce[T any](ctx context.Context, group *singleflight.Group[string, T], key string, call func(context.Context) (T, error)) (T, error) {
	var called atomic.Bool
	value, _, err := group.Do(ctx, key, func(ctx context.Context) (T, error) {
		called.Store(true)
		return call(ctx)
	})
	if !called.Load() {
		coalesced.Inc()
	}
	return value, err
}
