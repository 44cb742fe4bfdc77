package results

import (
	"errors"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/memory"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Options configure a cache.
type Options struct {
	// Config has the scrape interval: a result is reused until the end of the interval in which it was fetched. Steps that need samples
	// older than the retention change while these are deleted, and are fetched again.
	promql.Config
	// MaxBytes bounds the memory of all entries. With 0 the cache is off: nothing is stored, and no calls are coalesced.
	MaxBytes int
	// Limited reports that all requests have a limit of series: nothing is stored.
	Limited bool
	// RecentWindow is the maximum delay of samples. Younger steps are not final: a refresh fetches them again.
	RecentWindow time.Duration
	// MaxAge bounds how long a final step is reused, because samples of any time may be added later; 0 is no bound.
	MaxAge time.Duration
	// SlowAfter is how long the platform takes for a range of days, if it is slow: such ranges are requested in parts then. It is about a
	// third of the timeout of requests; 0 is the default, and with a negative one every platform is slow.
	SlowAfter time.Duration
	// Explain turns an error, such as that of a context, into a *transport.Error; nil leaves errors as they are.
	Explain func(error) error
}

// Cache caches the results of one metrics endpoint; it implements [promql.Source]. It is safe for concurrent use.
type Cache struct {
	Options
	source  promql.Source
	entries *otter.Cache[string, entry]

	extentCalls  panics.Calls[fetchResult]
	bypassCalls  panics.Calls[*promql.Result]
	instantCalls panics.Calls[*timed[*promql.Result]]
	listCalls    panics.Calls[*timed[*promql.List]]

	// clears counts the calls of Clear. A result whose fetch began before the last of them is not stored.
	clears atomic.Uint64
	closed atomic.Bool
	// unaligned is set when the platform returned the steps of a range that an engine with alignment would have moved.
	unaligned transport.Learned[bool]
	// slowUntil is until when long ranges are requested in parts, in milliseconds.
	slowUntil atomic.Int64
}

// entry is a value of the cache. It is immutable, because all callers share it.
type entry interface {
	bytes() int
	// expires is when the entry is of no use any more, in milliseconds.
	expires() int64
}

// never is when an entry expires that is useful until it is evicted.
const never = math.MaxInt64

// entryBytes is the memory of an entry besides its value: the header of its key, its slot in the table and in the eviction
// policy.
const entryBytes = 256

// New makes a cache of the results of a source. Close it when it is no longer used.
func New(source promql.Source, o Options) *Cache {
	if o.SlowAfter == 0 {
		o.SlowAfter = defaultSlowAfter
	}
	c := &Cache{Options: o, source: source}
	if o.MaxBytes > 0 {
		c.entries = otter.Must(&otter.Options[string, entry]{
			MaximumWeight:    uint64(o.MaxBytes),
			Weigher:          weigh,
			OnAtomicDeletion: c.deleted,
			ExpiryCalculator: otter.ExpiryWritingFunc(c.timeToLive),
			Clock:            clock(o.Now),
			// Eviction runs in the goroutine of the call that exceeds the limit.
			Executor: func(run func()) { run() },
		})
		memory.Caches.Join(c.entries)
	}
	return c
}

// enabled reports whether results are stored and calls coalesced.
func (c *Cache) enabled() bool { return c.entries != nil }

// Close deletes all entries. Requests in flight continue for their callers.
func (c *Cache) Close() {
	if c.enabled() {
		c.closed.Store(true)
		c.entries.InvalidateAll()
		c.entries.StopAllGoroutines()
		memory.Caches.Leave(c.entries)
	}
}

// Clear deletes all entries. The results of requests in flight are not stored.
func (c *Cache) Clear() {
	if c.enabled() {
		c.clears.Add(1)
		c.entries.InvalidateAll()
	}
}

// explain explains an error of the source or of a context. Who has no access any more does not see what was fetched before.
func (c *Cache) explain(err error) error {
	var failed *transport.Error
	if errors.As(err, &failed) && failed.Status == http.StatusUnauthorized {
		c.Clear()
	}
	if err == nil || c.Explain == nil {
		return err
	}
	return c.Explain(err)
}

// reusedUntil is until when what was fetched at a time may be reused at most, in milliseconds.
func (c *Cache) reusedUntil(fetched int64) int64 {
	if c.MaxAge <= 0 {
		return never
	}
	return fetched + c.MaxAge.Milliseconds()
}

func (c *Cache) now() int64 { return c.Now().UnixMilli() }

// sameInterval reports whether a time lies in the current scrape interval. A time in the future does not: the clock has
// been set back.
func (c *Cache) sameInterval(then, now int64) bool {
	interval := c.Interval.Milliseconds()
	return then <= now && floor(then, interval) == floor(now, interval)
}

// maxEntryBytes is the maximum weight of otter.
const maxEntryBytes = math.MaxUint32

// set stores an entry whose fetch began when the cache had been cleared so many times. It rejects an entry that would evict
// nearly all others.
func (c *Cache) set(kind, key string, e entry, clears uint64) {
	if cost(key, e) > min(c.MaxBytes/2, maxEntryBytes) {
		countUncached(kind, tooLarge)
		c.entries.Invalidate(key)
		return
	}
	if c.closed.Load() || c.clears.Load() != clears {
		return
	}
	cachedBytes.Add(float64(weigh(key, e)))
	c.entries.Set(key, e)
	memory.Caches.MakeRoom()
}

func cost(key string, e entry) int { return entryBytes + len(key) + e.bytes() }

func weigh(key string, e entry) uint32 { return uint32(cost(key, e)) }

func (c *Cache) deleted(e otter.DeletionEvent[string, entry]) {
	cachedBytes.Sub(float64(weigh(e.Key, e.Value)))
	if e.Cause == otter.CauseOverflow {
		evictions.Inc()
	}
}

// timeToLive is the time until an entry expires.
func (c *Cache) timeToLive(e otter.Entry[string, entry]) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(max(e.Value.expires()-c.now(), 1), most)) * time.Millisecond
}

// clock is a clock of otter, by which expired entries are deleted when others are read and written.
type clock func() time.Time

// NowNano is the time in nanoseconds since 1970.
func (now clock) NowNano() int64 { return now().UnixNano() }

// Tick returns no channel, so that a cache that is not used needs no goroutine.
func (now clock) Tick(time.Duration) <-chan time.Time { return nil }

// get returns the entry of a key, if it is a T.
func get[T entry](c *Cache, key string) (T, bool) {
	e, _ := c.entries.GetIfPresent(key)
	cached, ok := e.(T)
	return cached, ok
}

// floor rounds a time down to a multiple of unit.
func floor(t, unit int64) int64 {
	remainder := t % unit
	if remainder < 0 {
		remainder += unit
	}
	return t - remainder
}

// ceil rounds a time up to a multiple of unit.
func ceil(t, unit int64) int64 { return -floor(-t, unit) }
