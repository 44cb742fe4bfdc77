package rangecache

import (
	"context"
	"sync/atomic"

	"resenje.org/singleflight"
)

// together makes a call once for all who want the same at the same time. It goes on as long as anyone waits for it, and is
// canceled when nobody does: it has no deadline of those who wait. A caller who gives up gets his context's error.
func together[T any](ctx context.Context, group *singleflight.Group[string, T], key string, call func(context.Context) (T, error)) (T, error) {
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
