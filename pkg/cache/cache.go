// Package cache caches decoded responses of the platform for a time, and coalesces identical requests in flight.
//
// Package prom has a cache of its own for PromQL, package results, which merges the ranges of queries.
package cache

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/memory"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// entryBytes is added to the size of each entry, so that many small entries count, too.
const entryBytes = 512

// Cache is bounded by the size of its entries. It caches neither errors nor values larger than the bound. It is safe for
// concurrent use.
type Cache struct {
	entries  *otter.Cache[string, entry]
	maxBytes int
	loads    panics.Calls[any]
	now      func() time.Time
	stale    func(context.Context, error) time.Duration
	// life ends with the data source, and cancels loads in flight.
	life context.Context
	end  context.CancelFunc
}

// entry is a cached value. It is immutable, because all callers share it.
type entry struct {
	value any
	cost  uint32
	// loaded is the time of the load, and until that at which the entry expires.
	loaded, until time.Time
}

// New makes a cache of at most maxBytes. Close it when it is no longer used. stale is for how long after its load an entry counts
// although it has expired: before a load, or after the error of one. nil is not at all.
func New(maxBytes int, now func() time.Time, stale func(context.Context, error) time.Duration) *Cache {
	if stale == nil {
		stale = func(context.Context, error) time.Duration { return 0 }
	}
	life, end := context.WithCancel(context.Background())
	c := &Cache{maxBytes: maxBytes, now: now, stale: stale, life: life, end: end}
	c.entries = otter.Must(&otter.Options[string, entry]{
		MaximumWeight: uint64(maxBytes),
		Weigher:       func(_ string, e entry) uint32 { return e.cost },
	})
	memory.Caches.Join(c.entries)
	return c
}

// Clear deletes all entries. The results of loads in flight are cached.
func (c *Cache) Clear() { c.entries.InvalidateAll() }

// Life is canceled when the cache is closed. It is the context of work that continues after its caller returns.
func (c *Cache) Life() context.Context { return c.life }

// Close cancels loads in flight.
func (c *Cache) Close() {
	c.end()
	c.entries.StopAllGoroutines()
	memory.Caches.Leave(c.entries)
}

// Loaded is the result of a load: a value, its size, and for how long it is cached.
type Loaded[T any] struct {
	Value T
	Bytes int
	TTL   time.Duration
}

// get returns the value of a key, if it is cached and has not expired, or was loaded within stale.
func get[T any](c *Cache, key string, stale time.Duration) (T, bool) {
	e, ok := c.entries.GetIfPresent(key)
	if now := c.now(); ok && (now.Before(e.until) || now.Sub(e.loaded) < stale) {
		if value, ok := e.value.(T); ok {
			return value, true
		}
	}
	var none T
	return none, false
}

// set caches a value, unless it is larger than the cache or has no TTL.
func (c *Cache) set(key string, value any, cost int, ttl time.Duration) {
	if cost > c.maxBytes || ttl <= 0 {
		c.entries.Invalidate(key)
		return
	}
	now := c.now()
	c.entries.Set(key, entry{value, uint32(cost), now, now.Add(ttl)})
	memory.Caches.MakeRoom()
}

// Through returns the cached value of a key, or loads it. Concurrent callers with the same key share one load, those of alert rules
// another one. The load has no deadline of any of them, and is canceled when the last of them stops waiting. A caller whose context
// ends gets its context's error. Callers must not change the value, which they share.
func Through[T any](ctx context.Context, c *Cache, key string, load func(context.Context) (Loaded[T], error)) (T, error) {
	if value, ok := get[T](c, key, c.stale(ctx, nil)); ok {
		return value, nil
	}
	loaded, err := transport.Coalesce(ctx, &c.loads, key, func(ctx context.Context) (any, error) {
		// Another load of the key may have finished meanwhile.
		if value, ok := get[T](c, key, c.stale(ctx, nil)); ok {
			return value, nil
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer panics.WhenDone(c.life, cancel)()
		got, err := load(ctx)
		if err != nil {
			return nil, err
		}
		c.set(key, got.Value, got.Bytes+entryBytes, got.TTL)
		return got.Value, nil
	})
	if err != nil {
		if value, ok := get[T](c, key, c.stale(ctx, err)); ok {
			return value, nil
		}
		var none T
		return none, err
	}
	return loaded.(T), nil
}
