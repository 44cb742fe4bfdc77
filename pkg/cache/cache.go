// Package cache keeps answers of the platform for a while, and makes identical calls that are under way once.
package cache

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"
	"resenje.org/singleflight"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/memory"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
)

// entryBytes is added for each answer, so that many small ones count too.
const entryBytes = 512

// Cache is bounded by the bytes that its answers were read from. Errors are not kept, nor is
// what would not fit. It is safe for concurrent use.
type Cache struct {
	entries  *otter.Cache[string, entry]
	maxBytes int
	// share is what the cache takes of the memory of all data sources' caches.
	share   *memory.Share
	flights singleflight.Group[string, any]
	now     func() time.Time
	// life ends with the data source, and ends the calls that are under way.
	life context.Context
	end  context.CancelFunc
}

// entry is an answer. It is shared by everyone who asks, so nobody changes it.
type entry struct {
	value any
	cost  uint32
	until time.Time
}

// New makes a cache of at most maxBytes. Close it when it is no longer used.
func New(maxBytes int, now func() time.Time) *Cache {
	life, end := context.WithCancel(context.Background())
	c := &Cache{maxBytes: maxBytes, now: now, life: life, end: end}
	c.share = memory.Caches.Join(c.shrink)
	c.entries = otter.Must(&otter.Options[string, entry]{
		MaximumWeight:    uint64(maxBytes),
		Weigher:          func(_ string, e entry) uint32 { return e.cost },
		OnAtomicDeletion: func(e otter.DeletionEvent[string, entry]) { c.share.Add(-int64(e.Value.cost)) },
	})
	return c
}

// shrink evicts entries until they take no more than so many bytes.
func (c *Cache) shrink(to int64) {
	c.entries.SetMaximum(uint64(max(to, 0)))
	c.entries.SetMaximum(uint64(c.maxBytes))
}

// Clear drops all entries. What is under way is kept when it comes.
func (c *Cache) Clear() { c.entries.InvalidateAll() }

// Life ends when the cache is closed; work that outlives its caller ends with it.
func (c *Cache) Life() context.Context { return c.life }

// Close ends the calls that are under way.
func (c *Cache) Close() {
	c.end()
	c.entries.StopAllGoroutines()
	c.share.Leave()
}

// Answer is what a load brings: a value, the bytes it was read from and how long it stays true.
type Answer[T any] struct {
	Value T
	Bytes int
	Keep  time.Duration
}

// Get returns what is kept under the key, if it is still true.
func Get[T any](c *Cache, key string) (T, bool) {
	e, ok := c.entries.GetIfPresent(key)
	if ok && c.now().Before(e.until) {
		if value, ok := e.value.(T); ok {
			return value, true
		}
	}
	var none T
	return none, false
}

// set keeps a value, unless it takes more than the whole cache may, or stays true for no time.
func (c *Cache) set(key string, value any, cost int, keep time.Duration) {
	if cost > c.maxBytes || keep <= 0 {
		c.entries.Invalidate(key)
		return
	}
	// Counted before it is there, because it may be evicted at once.
	c.share.Add(int64(cost))
	c.entries.Set(key, entry{value, uint32(cost), c.now().Add(keep)})
	c.share.MakeRoom()
}

// Through returns what is kept under the key, or loads it. Callers of one key that wait at the same time share one load. It
// has no deadline of theirs, and is canceled when the last of them stops waiting; a caller that does so gets its context's
// error. The value is shared: nobody may change it.
func Through[T any](ctx context.Context, c *Cache, key string, load func(context.Context) (Answer[T], error)) (T, error) {
	if value, ok := Get[T](c, key); ok {
		return value, nil
	}
	loaded, _, err := c.flights.Do(ctx, key, func(ctx context.Context) (loaded any, err error) {
		defer func() {
			if recover() != nil {
				err = panics.Recovered(ctx, "Reading from the platform panicked")
			}
		}()
		// A load of the same key may have just finished.
		if value, ok := Get[T](c, key); ok {
			return value, nil
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.life, cancel)()
		got, err := load(ctx)
		if err != nil {
			return nil, err
		}
		c.set(key, got.Value, got.Bytes+entryBytes, got.Keep)
		return got.Value, nil
	})
	if err != nil {
		var none T
		return none, err
	}
	return loaded.(T), nil
}
