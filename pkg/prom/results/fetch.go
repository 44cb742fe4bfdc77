package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// extent is the cached part of a query's time range: a matrix of the steps from start to end, and up to which step it is final.
type extent struct {
	*series.Matrix
	start, end int64
	// final is the last step that no late sample changes, in milliseconds.
	final int64
	// asOf is when the steps after final were fetched, and the first steps, whose samples are deleted first.
	asOf int64
	// until is when the oldest of its steps is not reused any more.
	until int64
	// span is the longest range that was queried up to the end of the extent. Steps before it are trimmed, so that an extent that moves
	// with the time does not grow.
	span int64
	// infos are the info annotations of the responses that its steps were from, in alphabetical order.
	infos []string
	size  int
}

func (e *extent) covers(start, end int64) bool { return e.start <= start && end <= e.end }

// fetchResult is the result of a plan's requests: the new extent; or the response, if it can't be cached; or neither, if the
// responses don't fit the extent, which is deleted then.
type fetchResult struct {
	extent   *extent
	response *promql.Result
}

// fetchMissing sends the requests of a plan and stores the new extent. Callers with the same plan for the same extent share
// the requests, which are canceled when the last of them stops waiting.
func (c *Cache) fetchMissing(ctx context.Context, q promql.Query, plan fetchPlan) (fetchResult, error) {
	return cache.Coalesce(ctx, c.store, fmt.Sprint(plan), func(ctx context.Context) (fetchResult, error) {
		asOf := c.now()
		// An identical call may have finished after this one planned.
		if newer := c.planOn(plan.key, q); len(newer.fetch) == 0 {
			return fetchResult{extent: newer.cached}, nil
		}
		parts, err := c.fetchParts(ctx, q, plan)
		if err != nil {
			return fetchResult{}, err
		}
		if next, ok := c.mergeExtent(q, plan, parts, asOf); ok {
			if !c.store.Fits(plan.key, next.size) {
				countUncached(kindRange, tooLarge)
			}
			// Its steps say when they were fetched, so that it is of use after the clock has been set back.
			c.store.Set(plan.key, next, next.size, time.Time{}, time.UnixMilli(next.until), plan.clears)
			return fetchResult{extent: next}, nil
		}
		c.store.Delete(plan.key)
		if !plan.reuse.empty() {
			return fetchResult{}, nil
		}
		if len(parts) == 1 {
			return fetchResult{response: parts[0].response}, nil
		}
		responses := make([]*promql.Result, len(parts))
		for i, p := range parts {
			responses[i] = p.response
		}
		joined, err := promql.Join(c.Limits, responses...)
		return fetchResult{response: joined}, err
	})
}

// fetchParts requests the ranges of a plan concurrently: whole, or in parts if the platform has been slow or refuses them whole. If
// one request fails, the others are canceled. The parts are in ascending order.
func (c *Cache) fetchParts(ctx context.Context, q promql.Query, plan fetchPlan) ([]part, error) {
	var parts []part
	for _, s := range plan.fetch {
		parts = append(parts, part{Query: q.Between(s.start, s.end)})
	}
	split := c.split(q, plan, mostParts(ctx, len(plan.fetch)))
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
// one on the platform. It splits none into more parts than most, none by a window of which a day has less than four, and none shorter
// than a day: parts of one step would be without the warnings that engines have for ranges alone.
func (c *Cache) split(q promql.Query, plan fetchPlan, most int64) []part {
	var parts []part
	// Some engines look back a step for any sample.
	window := q.Needs.Window.Milliseconds() + q.Step
	for _, s := range plan.fetch {
		unit := max(day.Milliseconds(), ceil((s.end-s.start)/max(1, most-1), day.Milliseconds()))
		if most < 2 || s.end-s.start < day.Milliseconds() || minWindows*window > day.Milliseconds() || c.mayBeAligned(q) {
			parts = append(parts, part{Query: q.Between(s.start, s.end)})
			continue
		}
		of := q
		of.Part = &atomic.Int64{}
		for start := s.start; start <= s.end; {
			midnight := floor(start, unit) + unit
			next := min(start+ceil(midnight-start, q.Step), s.end+q.Step)
			parts = append(parts, part{Query: of.Between(start, next-q.Step)})
			start = next
		}
	}
	return parts
}

// mergeExtent makes the next extent from the steps that a plan reuses of the cached one, and the parts of it that were fetched. It
// returns false if a response can't be cached or merged.
func (c *Cache) mergeExtent(q promql.Query, plan fetchPlan, parts []part, asOf int64) (*extent, bool) {
	// The platform has no samples after its own clock yet, so steps there are not final even if the local clock is ahead.
	platformTime := asOf
	var fetched []*series.Matrix
	for _, p := range parts {
		if reason := unmergeable(p.response, p.Query); reason != "" {
			countUncached(kindRange, reason)
			return nil, false
		}
		c.learnAlignment(p.Query, p.response)
		platformTime = min(platformTime, p.response.Date)
		fetched = append(fetched, p.response.Matrix)
	}
	cached, reuse := plan.cached, plan.reuse
	next := &extent{start: parts[0].Start, end: max(reuse.end, parts[len(parts)-1].End), asOf: asOf, until: asOf + maxAge}
	next.span = next.end - q.Start
	next.final = q.Start + floor(platformTime-c.RecentWindow.Milliseconds()-q.Start, q.Step)
	if reuse.empty() {
		next.Matrix = series.Merge(fetched...)
	} else {
		next.final = max(next.final, reuse.end)
		next.span = max(next.span, cached.span)
		reused := stepRange{trimmed(reuse, next.end-next.span-c.slack(q.Step)), reuse.end}
		next.start = min(next.start, reused.start)
		next.until = cached.until
		next.infos = cached.infos
		before, _ := slices.BinarySearchFunc(parts, reused.end, func(p part, end int64) int { return cmp.Compare(p.Start, end) })
		next.Matrix = series.Merge(slices.Insert(fetched, before, cached.Slice(reused.start, reused.end))...)
	}
	next.final = min(next.final, next.end)
	for _, p := range parts {
		next.infos = promql.Union(next.infos, p.response.Infos)
	}
	next.infos = next.infos[:min(len(next.infos), maxInfos)]
	next.size = next.Bytes() + len(strings.Join(next.infos, "")) + 16*len(next.infos) + 128
	return next, true
}

// trimmed is the first of the reused steps that the next extent keeps: none before oldest, but at least one step.
func trimmed(reuse stepRange, oldest int64) int64 { return min(max(reuse.start, oldest), reuse.end) }

// slack is how many milliseconds an extent has besides its span, for clients whose clocks are behind.
func (c *Cache) slack(step int64) int64 { return ceil(c.RecentWindow.Milliseconds(), step) + step }
