package results

import (
	"context"
	"fmt"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
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
			if !c.store.Fits(key, next.size) {
				countUncached(kindRange, tooLarge)
			}
			// Its steps say when they were fetched, so that it is of use after the clock has been set back.
			c.store.Set(key, next, next.size, time.Time{}, time.UnixMilli(next.until), r.clears)
			return fetchResult{extent: next}, nil
		}
		c.store.Delete(key)
		if !plan.reuse.empty() {
			return fetchResult{}, nil
		}
		response, ok, err := c.uniteResponses(parts)
		if !ok {
			// Native histograms, for example, are not merged.
			response, err = c.source.Range(ctx, r.Query)
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
		group, within := panics.NewCancelingGroup(ctx)
		for i := range parts {
			group.Go(func() (err error) {
				parts[i].response, err = c.source.Range(within, parts[i].Query)
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
