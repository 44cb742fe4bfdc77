// Package results caches the results of PromQL queries, so that the refreshes of many dashboards and alert rules cost
// the platform one small request each.
//
// The result of a range query is a matrix: for each time series, a value at each step. Once a step is older than the recent
// window, no late sample changes it, and it has the same value in every range that contains it. So an entry of the cache is
// an extent: a matrix of consecutive steps, and up to which of them it is final. A refresh fetches the steps that the extent
// lacks and those within the recent window, and merges the response into the extent.
//
// Steps are reused only for queries whose value at a step depends on nothing but samples up to that step. [promql.Needs] says whether an
// expression is one of these. All other queries bypass the cache.
//
// No new sample is expected before the current scrape interval ends, so a result that was fetched in an interval is reused
// until its end. Identical calls at the same time are coalesced into one request.
//
// A result from the cache has, for each series and each sample, exactly what the platform returned at the time [promql.Origin.AsOf].
package results

import (
	"cmp"
	"errors"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Options configure a cache.
type Options struct {
	// Config has the scrape interval: a result is reused until the end of the interval in which it was fetched. Steps that need samples
	// older than the retention change while these are deleted, and are fetched again.
	promql.Config
	// MaxBytes bounds the memory of all entries. With 0 the cache is off: nothing is stored.
	MaxBytes int
	// RecentWindow is the maximum delay of samples. Younger steps are not final: a refresh fetches them again.
	RecentWindow time.Duration
	// SlowAfter is how long the platform takes for a range of days, if it is slow: such ranges are requested in parts then. It is about a
	// third of the timeout of requests; 0 is the default, and with a negative one every platform is slow.
	SlowAfter time.Duration
	// Explain turns an error, such as that of a context, into a *transport.Error; nil leaves errors as they are.
	Explain func(error) error
}

// Cache caches the results of one metrics endpoint; it implements [promql.Source]. It is safe for concurrent use.
type Cache struct {
	Options
	source promql.Source
	store  *cache.Cache
	// unaligned is set when the platform returned the steps of a range that an engine with alignment would have moved.
	unaligned transport.Learned[bool]
	// slowUntil is until when long ranges are requested in parts, in milliseconds.
	slowUntil atomic.Int64
}

// maxAge bounds how long a final step is reused, in milliseconds: a backfill of an archive, for example, adds samples of the past.
const maxAge = 24 * 60 * 60 * 1000

// New makes a cache of the results of a source. Close it when it is no longer used.
func New(source promql.Source, o Options) *Cache {
	o.SlowAfter = cmp.Or(o.SlowAfter, defaultSlowAfter)
	return &Cache{Options: o, source: source, store: cache.New(cache.Options{MaxBytes: o.MaxBytes, Now: o.Now})}
}

// Close deletes all entries. Requests in flight continue for their callers.
func (c *Cache) Close() { c.store.Close() }

// Clear deletes all entries. The results of requests in flight are not stored.
func (c *Cache) Clear() { c.store.Clear() }

// explain explains an error of the source or of a context. Who has no access any more does not see what was fetched before.
func (c *Cache) explain(err error) error {
	if errors.Is(err, transport.ErrCredential) {
		c.Clear()
	}
	if err == nil || c.Explain == nil {
		return err
	}
	return c.Explain(err)
}

func (c *Cache) now() int64 { return c.Now().UnixMilli() }

// sameInterval reports whether a time lies in the current scrape interval. A time in the future does not: the clock has
// been set back.
func (c *Cache) sameInterval(then, now int64) bool {
	interval := c.Interval.Milliseconds()
	return then <= now && floor(then, interval) == floor(now, interval)
}

// floor rounds a time down to a multiple of unit.
func floor(t, unit int64) int64 {
	remainder := t % unit
	if remainder < 0 {
		remainder += unit
	}
	return t - remainder
}

func ceil(t, unit int64) int64 { return -floor(-t, unit) }
