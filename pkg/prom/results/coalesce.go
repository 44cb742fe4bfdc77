package results

import (
	"context"
	"sync/atomic"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// coalesce makes one call for all concurrent callers with the same key, and another one for alert rules. The call continues while
// any of them waits, without the deadline of any, and is canceled when the last one stops waiting. A caller whose context ends gets
// its context's error.
func coalesce[T any](ctx context.Context, calls *panics.Calls[T], key string, call func(context.Context) (T, error)) (T, error) {
	var called atomic.Bool
	value, err := calls.Do(ctx, transport.Lane(ctx)+key, func(ctx context.Context) (T, error) {
		called.Store(true)
		return call(ctx)
	})
	if !called.Load() {
		coalesced.Inc()
	}
	return value, err
}
