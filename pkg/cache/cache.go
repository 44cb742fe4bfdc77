// Package cache stores what was read of the platform for a time, and coalesces identical requests in flight.
package cache

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"resenje.org/singleflight"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// The metrics count for all caches of the process.
var (
	evictions = promauto.NewCounter(prometheus.CounterOpts{
		Name: "gpucloud_cache_evictions_total",
		Help: "Entries that were evicted because a cache was full.",
	})
	cachedBytes = promauto.NewGauge(prometheus.GaugeOpts{
		Name: "gpucloud_cache_bytes",
		Help: "Memory of the entries of all caches.",
	})
)

// Options configure a cache.
type Options struct {
	// MaxBytes bounds the memory of all entries.
	MaxBytes int
	Now      func() time.Time
	// Stale is for how long after its load an entry counts although it has expired: before a load, or after the error of one. It is
	// MaxStale at most. nil is not at all.
	Stale    func(context.Context, error) time.Duration
	MaxStale time.Duration
}

// Cache is bounded by the size of its entries. It caches neither errors nor what is larger than half of the bound. It is safe for
// concurrent use.
type Cache struct {
	Options
	entries entries
	loads   singleflight.Group[string, any]
	// clears counts the calls of Clear. What was begun to be loaded before the last of them is not stored.
	clears atomic.Uint64
	closed atomic.Bool
}

// entry is a cached value. It is immutable, because all callers share it.
type entry struct {
	value any
	cost  uint32
	// loaded is the time of the load, and until that at which the entry expires.
	loaded, until time.Time
}

// entryBytes is the memory of an entry besides its value: the header of its key, its slot in the table and in the eviction policy.
const entryBytes = 256

// New makes a cache. Close it when it is no longer used.
func New(o Options) *Cache {
	if o.Stale == nil {
		o.Stale = func(context.Context, error) time.Duration { return 0 }
	}
	c := &Cache{Options: o}
	c.entries = otter.Must(&otter.Options[string, entry]{
		MaximumWeight:    uint64(max(o.MaxBytes, 1)),
		Weigher:          func(_ string, e entry) uint32 { return e.cost },
		OnAtomicDeletion: deleted,
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[string, entry]) time.Duration {
			return max(e.Value.until.Add(o.MaxStale).Sub(o.Now()), 1)
		}),
		Clock: clock(o.Now),
		// Eviction runs in the goroutine of the call that exceeds the limit.
		Executor: func(run func()) { run() },
	})
	join(c.entries)
	return c
}

func deleted(e otter.DeletionEvent[string, entry]) {
	cachedBytes.Sub(float64(e.Value.cost))
	if e.Cause == otter.CauseOverflow {
		evictions.Inc()
	}
}

// clock is a clock of otter, by which expired entries are deleted when others are read and written.
type clock func() time.Time

func (now clock) NowNano() int64 { return now().UnixNano() }

// Tick returns no channel, so that a cache that is not used needs no goroutine.
func (now clock) Tick(time.Duration) <-chan time.Time { return nil }

// Clear deletes all entries. The results of loads in flight are not stored.
func (c *Cache) Clear() {
	c.clears.Add(1)
	c.entries.InvalidateAll()
}

// Close deletes all entries. Loads in flight continue for their callers.
func (c *Cache) Close() {
	c.closed.Store(true)
	c.entries.InvalidateAll()
	c.entries.StopAllGoroutines()
	leave(c.entries)
}

// Clears is how often the cache has been cleared; see [Cache.Set].
func (c *Cache) Clears() uint64 { return c.clears.Load() }

// Get returns the value of a key that has not expired, or was loaded within stale. One that was loaded in the future is none: the clock
// has been set back.
func Get[T any](c *Cache, key string, stale time.Duration) (value T, ok bool) {
	e, ok := c.entries.GetIfPresent(key)
	if now := c.Now(); ok && !now.Before(e.loaded) && (now.Before(e.until) || now.Sub(e.loaded) < stale) {
		value, ok = e.value.(T)
		return value, ok
	}
	return value, false
}

// Fits reports whether a value of so many bytes is stored: a larger one would evict nearly all others.
func (c *Cache) Fits(key string, bytes int) bool {
	return cost(key, bytes) <= min(c.MaxBytes/2, math.MaxUint32)
}

func cost(key string, bytes int) int { return entryBytes + len(key) + bytes }

// Set stores a value that fits, from one time to another, unless the cache has been cleared since it had been so many times.
func (c *Cache) Set(key string, value any, bytes int, from, until time.Time, clears uint64) {
	if !c.Fits(key, bytes) || !until.After(from) {
		c.Delete(key)
		return
	}
	outdated := func() bool { return c.closed.Load() || c.clears.Load() != clears }
	if outdated() {
		return
	}
	e := entry{value, uint32(cost(key, bytes)), from, until}
	cachedBytes.Add(float64(e.cost))
	c.entries.Set(key, e)
	if outdated() { // the deletion of all entries may have come before this one
		c.Delete(key)
	}
	makeRoom()
}

// Delete deletes the value of a key.
func (c *Cache) Delete(key string) { c.entries.Invalidate(key) }

// Loaded is the result of a load: a value, its size, and for how long it is cached.
type Loaded[T any] struct {
	Value T
	Bytes int
	TTL   time.Duration
}

// Through returns the cached value of a key, or loads it, once for all concurrent callers; see [Coalesce]. Callers must not change the
// value, which they share.
func Through[T any](ctx context.Context, c *Cache, key string, load func(context.Context) (Loaded[T], error)) (T, error) {
	if value, ok := Get[T](c, key, c.Stale(ctx, nil)); ok {
		return value, nil
	}
	clears := c.Clears()
	value, err := Coalesce(ctx, c, key, func(ctx context.Context) (T, error) {
		// Another load of the key may have finished meanwhile.
		if value, ok := Get[T](c, key, c.Stale(ctx, nil)); ok {
			return value, nil
		}
		got, err := load(ctx)
		if err == nil {
			now := c.Now()
			c.Set(key, got.Value, got.Bytes, now, now.Add(got.TTL), clears)
		}
		return got.Value, err
	})
	if err != nil {
		if value, ok := Get[T](c, key, c.Stale(ctx, err)); ok {
			return value, nil
		}
	}
	return value, err
}

// Coalesce makes one call for all concurrent callers with the same key, and another one for alert rules. The call has no deadline of
// any of them, and is canceled when the last of them stops waiting. A caller whose context ends gets its context's error. The call is
// repeated while it fails because of the budget of the query that sent its requests.
func Coalesce[T any](ctx context.Context, c *Cache, key string, call func(context.Context) (T, error)) (none T, err error) {
	for {
		value, _, err := c.loads.Do(ctx, transport.Lane(ctx)+key, func(ctx context.Context) (value any, err error) {
			defer panics.Catch(ctx, "A shared request panicked", &err)
			return call(ctx)
		})
		switch {
		case err == nil:
			return value.(T), nil
		case !errors.Is(err, transport.ErrBudget) || transport.Left(ctx) == 0 || ctx.Err() != nil:
			return none, err
		}
	}
}
