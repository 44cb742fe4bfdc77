package rangecache

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"resenje.org/singleflight"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/memory"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// Options describe a cache.
type Options struct {
	// MaxBytes bounds the memory that answers take; 0 keeps and shares nothing.
	MaxBytes int
	// RecentWindow is how late samples arrive at most: younger steps are asked again.
	RecentWindow time.Duration
	// Interval is how often samples are collected. An answer serves until the interval ends in which it was asked for.
	Interval time.Duration
	// Retention is how long the platform keeps samples. Steps that depend on older ones are asked again, as they fade away.
	Retention time.Duration
	// Limits bound an answer that is put together, as they bound each that is asked for.
	Limits promjson.Limits
	// Pool bounds the memory of this cache and others together; that of all data sources if it is nil.
	Pool *memory.Pool
	// Now is the clock; time.Now if it is nil.
	Now func() time.Time
}

// Cache keeps the answers of one endpoint. It is safe for concurrent use.
type Cache struct {
	Options
	entries    *otter.Cache[string, item]
	windows    singleflight.Group[string, outcome]
	wholes     singleflight.Group[string, *Answer]
	moments    singleflight.Group[string, *moment]
	lookups    singleflight.Group[string, *Lookup]
	generation atomic.Uint64
	// clears is how often the cache was cleared. What was begun before is not kept.
	clears atomic.Uint64
	closed atomic.Bool
	share  *memory.Share
	// exact is set once a range was answered on its own steps that an engine such as VictoriaMetrics would have moved.
	exact atomic.Bool
}

// item is something kept. It is shared by everyone who asks, so nobody changes it.
type item interface{ bytes() int }

// entryBytes is what each item takes beside itself: its key's header, its place in the table and in the eviction policy.
const entryBytes = 256

// Answer is what the platform sent.
type Answer struct {
	*promjson.Result
	// Served is the platform's clock when it answered; zero if it did not say.
	Served time.Time
}

// Origin tells where an answer comes from.
type Origin struct {
	// AskedSteps and CachedSteps add up to the steps of the range: those that were asked for anew, for this answer or one
	// under way, and those that were there. An instant query has one step.
	AskedSteps  int `json:"askedSteps"`
	CachedSteps int `json:"cachedSteps"`
	// AsOf is when the answer was last brought up to date, in Unix milliseconds: it is what the platform would have said then.
	AsOf int64 `json:"asOf"`
}

// New makes a cache. Close it when it is no longer used.
func New(o Options) *Cache {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Cache{Options: o}
	if o.MaxBytes > 0 {
		if o.Pool == nil {
			o.Pool = memory.Caches
		}
		c.share = o.Pool.Join(c.shrink)
		c.entries = otter.Must(&otter.Options[string, item]{
			MaximumWeight:    uint64(o.MaxBytes),
			Weigher:          weigh,
			OnAtomicDeletion: c.dropped,
			// What is over the limit is gone when the call that put it over returns.
			Executor: func(run func()) { run() },
		})
	}
	return c
}

// Enabled reports whether anything is kept or shared at all.
func (c *Cache) Enabled() bool { return c.entries != nil }

// Close lets go of everything that is kept. A request under way goes on for those who wait for it.
func (c *Cache) Close() {
	if c.Enabled() {
		c.closed.Store(true)
		c.entries.InvalidateAll()
		c.entries.StopAllGoroutines()
		c.share.Leave()
	}
}

// Clear drops everything that is kept. What is under way is not kept either.
func (c *Cache) Clear() {
	if c.Enabled() {
		c.clears.Add(1)
		c.entries.InvalidateAll()
	}
}

// shrink evicts entries until they take no more than so many bytes.
func (c *Cache) shrink(to int64) {
	c.entries.SetMaximum(uint64(max(to, 0)))
	c.entries.SetMaximum(uint64(c.MaxBytes))
}

func (c *Cache) now() int64 { return c.Now().UnixMilli() }

// sameInterval reports whether a time lies in the collection interval that it is now in. A time in the future does not: the
// clock has been set back.
func (c *Cache) sameInterval(then, now int64) bool {
	interval := c.Interval.Milliseconds()
	return then <= now && floor(then, interval) == floor(now, interval)
}

// maxItemBytes is where the weights of otter end.
const maxItemBytes = math.MaxUint32

// set keeps an item that was begun when the cache had been cleared so many times. It refuses one that would push out
// everything else.
func (c *Cache) set(key string, i item, clears uint64) {
	if c.closed.Load() || cost(key, i) > min(c.MaxBytes/2, maxItemBytes) {
		c.entries.Invalidate(key)
		return
	}
	if c.clears.Load() != clears {
		return
	}
	keptBytes.Add(float64(weigh(key, i)))
	c.share.Add(int64(weigh(key, i)))
	c.entries.Set(key, i)
	c.share.MakeRoom()
}

func cost(key string, i item) int { return entryBytes + len(key) + i.bytes() }

func weigh(key string, i item) uint32 { return uint32(cost(key, i)) }

func (c *Cache) dropped(e otter.DeletionEvent[string, item]) {
	keptBytes.Sub(float64(weigh(e.Key, e.Value)))
	c.share.Add(-int64(weigh(e.Key, e.Value)))
	if e.Cause == otter.CauseOverflow {
		evictions.Inc()
	}
}

// get returns what is kept under a key, if it is a T.
func get[T item](c *Cache, key string) (T, bool) {
	i, _ := c.entries.GetIfPresent(key)
	kept, ok := i.(T)
	return kept, ok
}

// floor moves a time down to a multiple of unit.
func floor(t, unit int64) int64 {
	rest := t % unit
	if rest < 0 {
		rest += unit
	}
	return t - rest
}
