package tuning

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"
)

const (
	// maxCacheBytes bounds what is kept, counted by the size of the answers it was read from.
	maxCacheBytes = 32 << 20
	// entryBytes is added for each answer, so that many small ones count too.
	entryBytes = 512
)

// cache keeps answers, and makes identical calls that are under way once. Errors are not kept.
type cache struct {
	entries *otter.Cache[string, entry]
	flights singleflight.Group
	now     func() time.Time
	// life ends with the data source; a call does not end with the first of those who wait for it.
	life context.Context
	end  context.CancelFunc
}

// entry is an answer. It is shared by everyone who asks, so nobody changes it.
type entry struct {
	value any
	cost  uint32
	until time.Time
}

func newCache(now func() time.Time) *cache {
	life, end := context.WithCancel(context.Background())
	return &cache{
		entries: otter.Must(&otter.Options[string, entry]{
			MaximumWeight: maxCacheBytes,
			Weigher:       func(_ string, e entry) uint32 { return e.cost },
		}),
		now: now, life: life, end: end,
	}
}

func (c *cache) close() {
	c.end()
	c.entries.StopAllGoroutines()
}

// answer is what a load brings: a value, the bytes it was read from and how long it stays true.
type answer[T any] struct {
	value T
	bytes int
	keep  time.Duration
}

func cached[T any](c *cache, key string) (T, bool) {
	e, ok := c.entries.GetIfPresent(key)
	if ok && c.now().Before(e.until) {
		if value, ok := e.value.(T); ok {
			return value, true
		}
	}
	var none T
	return none, false
}

// through returns what is kept under the key, or loads it. A caller that gives up leaves the load to the others.
func through[T any](ctx context.Context, c *cache, key string, load func(context.Context) (answer[T], error)) (T, error) {
	if value, ok := cached[T](c, key); ok {
		return value, nil
	}
	result := c.flights.DoChan(key, func() (loaded any, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				log.DefaultLogger.Error("Reading from the gateway panicked", "stack", string(debug.Stack()))
				err = fmt.Errorf("reading from the gateway panicked: %v", cause)
			}
		}()
		// Whoever had the same call under way may have just finished.
		if value, ok := cached[T](c, key); ok {
			return value, nil
		}
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(c.life, cancel)()
		got, err := load(ctx)
		if err != nil {
			return nil, err
		}
		c.entries.Set(key, entry{got.value, uint32(min(got.bytes+entryBytes, maxCacheBytes)), c.now().Add(got.keep)})
		return got.value, nil
	})
	var none T
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case r := <-result:
		if r.Err != nil {
			return none, r.Err
		}
		return r.Val.(T), nil
	}
}
