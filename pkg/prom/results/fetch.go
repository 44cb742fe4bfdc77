package results

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// fetchResult is the result of a plan's requests: the new extent; or the response, if it can't be cached; or neither, if the
// responses don't fit the extent, which is deleted then.
type fetchResult struct {
	extent   *extent
	response *promql.Result
	asOf     int64
}

// fetchMissing sends the requests of a plan and stores the new extent. Callers with the same plan for the same extent share
// the requests, which are canceled when the last of them stops waiting.
func (c *Cache) fetchMissing(ctx context.Context, key string, cached *extent, plan fetchPlan, r request) (fetchResult, error) {
	return cache.Coalesce(ctx, c.store, planKey(key, cached, plan), func(ctx context.Context) (fetchResult, error) {
		asOf := c.now()
		// An identical call may have finished after this one planned.
		if newer, ok := cache.Get[*extent](c.store, key); ok && newer != cached && !c.mayBeAligned(newer, r) && len(c.plan(newer, r, asOf).fetch) == 0 {
			return fetchResult{extent: newer}, nil
		}
		parts, err := c.fetchParts(ctx, plan, r)
		if err != nil {
			return fetchResult{}, err
		}
		if next, ok := c.mergeExtent(cached, plan.reuse, r, parts, asOf); ok {
			// Its steps say when they were fetched, so that it is of use after the clock has been set back.
			if !c.store.Set(key, next, next.size, time.Time{}, time.UnixMilli(next.until), r.clears) {
				countUncached(kindRange, tooLarge)
			}
			return fetchResult{extent: next}, nil
		}
		c.store.Delete(key)
		if !plan.reuse.empty() {
			return fetchResult{}, nil
		}
		response, ok, err := c.uniteResponses(parts)
		if !ok {
			// Native histograms, for example, are not merged.
			response, err = c.source.Evaluate(ctx, r.Query)
		}
		return fetchResult{response: response, asOf: asOf}, err
	})
}

// fetchParts requests the ranges of a plan concurrently: whole, or in parts if the platform has been slow or refuses them whole. If
// one request fails, the others are canceled. The parts are in ascending order.
func (c *Cache) fetchParts(ctx context.Context, plan fetchPlan, r request) ([]part, error) {
	var parts []part
	for _, s := range plan.fetch {
		parts = append(parts, part{Query: r.Between(s.start, s.end)})
	}
	split := c.split(plan, r, mostParts(ctx, len(plan.fetch)))
	if c.isSlow() {
		parts = split
	}
	for {
		group, within := panics.NewGroup(ctx)
		for i := range parts {
			group.Go(func() (err error) {
				parts[i].response, err = c.source.Evaluate(within, parts[i].Query)
				return err
			})
		}
		err := group.Wait()
		couldBeSplit := len(parts) < len(split)
		if couldBeSplit && (c.tookLong(parts) || c.ranOutOfTime(err)) {
			c.slowUntil.Store(c.now() + slowTTL.Milliseconds())
		}
		if err == nil || !couldBeSplit || ctx.Err() != nil || !c.ranOutOfTime(err) && !wasTooMuch(err) {
			return parts, err
		}
		parts = split
	}
}

// planKey is equal for calls that would send the same requests and get the same extent.
func planKey(key string, cached *extent, plan fetchPlan) string {
	return fmt.Sprintf("%p %v\x00%s", cached, plan, key)
}

const (
	day = 24 * time.Hour
	// minWindows is how many times as long as the window of the expression a day is at least, because every part reads the
	// samples of a window before its first step.
	minWindows = 4
	// maxParts bounds the parts of a range, which are longer than a day in an archive of years.
	maxParts = 32
	// defaultSlowAfter is a third of the timeout of requests by default, which is 30 seconds.
	defaultSlowAfter = 10 * time.Second
	// slowTTL is how long ranges are split after the platform was slow.
	slowTTL = time.Hour
)

// part is a request for a range, and the response.
type part struct {
	promql.Query
	response *promql.Result
}

func (c *Cache) isSlow() bool { return c.SlowAfter < 0 || c.now() < c.slowUntil.Load() }

// tookLong reports whether the platform took long for a response. The waits before it was sent don't count: they are longer the more
// requests there are.
func (c *Cache) tookLong(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.response != nil && p.response.Took > c.SlowAfter })
}

// ranOutOfTime reports whether the platform had not enough time for a query: it says so, or it had the query for long when the
// client's time was over.
func (c *Cache) ranOutOfTime(err error) bool {
	var failed *transport.Error
	return errors.As(err, &failed) && errors.Is(err, transport.ErrTimeout) && (failed.Status != 0 || failed.Took > c.SlowAfter)
}

// limitsOfRange are the messages about a query that reads more than it may, which a shorter range may not. All engines send those of
// other errors of an execution with the same status.
//
// Sources: Prometheus promql/engine.go (ErrTooManySamples); VictoriaMetrics app/vmselect/netstorage/netstorage.go and promql/eval.go; Mimir
// pkg/util/limiter/query_limiter.go; Thanos pkg/store/bucket.go.
var limitsOfRange = regexp.MustCompile(`too many samples|-search\.max(SamplesPer(Query|Series)|MemoryPerQuery)|not enough memory for processing|` +
	`maximum number of chunks|estimated number of chunks|aggregated chunks size|time range exceeds the limit|` +
	`err-mimir-max-(total-query-length|query-length|estimated-memory-consumption-per-query)|exceeded (samples|chunks|bytes) limit`)

// wasTooMuch reports whether the engine refused a query because of how much it would read.
func wasTooMuch(err error) bool {
	var failed *transport.Error
	return errors.As(err, &failed) && failed.Status == http.StatusUnprocessableEntity && limitsOfRange.MatchString(failed.Message)
}

// mostParts is into how many parts each of so many ranges may be split. They take a quarter of the requests that the query may send at
// most: the other side of an archive's seam, a point at the end and an instant query need some, too.
func mostParts(ctx context.Context, ranges int) int64 {
	return int64(min(maxParts, transport.Left(ctx)/4/max(1, ranges)))
}

// split splits the ranges of a plan at midnight UTC. Query front-ends split and cache ranges at the same times, and there may be
// one on the platform. It splits none into more parts than most, and none by a window of which a day has less than four.
func (c *Cache) split(plan fetchPlan, r request, most int64) []part {
	var parts []part
	// Some engines look back a step for any sample.
	window := r.Needs.Window.Milliseconds() + r.Step
	for _, s := range plan.fetch {
		unit := max(day.Milliseconds(), ceil((s.end-s.start)/max(1, most-1), day.Milliseconds()))
		if most < 2 || minWindows*window > day.Milliseconds() || c.mayBeAligned(nil, r) {
			parts = append(parts, part{Query: r.Between(s.start, s.end)})
			continue
		}
		of := r.Query
		of.Part = &atomic.Int64{}
		for start := s.start; start <= s.end; {
			midnight := floor(start, unit) + unit
			next := min(start+ceil(midnight-start, r.Step), s.end+r.Step)
			parts = append(parts, part{Query: of.Between(start, next-r.Step)})
			start = next
		}
	}
	return parts
}
