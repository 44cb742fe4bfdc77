package results

import (
	"context"
	"fmt"
	"strings"
)

// fetchResult is the result of a plan's requests: the new extent; or the response, if it can't be cached; or neither, if the
// responses don't fit the extent, which is deleted then.
type fetchResult struct {
	extent   *extent
	response *Response
	asOf     int64
}

// fetchMissing sends the requests of a plan and stores the new extent. Callers with the same plan for the same extent share
// the requests, which are canceled when the last of them stops waiting.
func (c *Cache) fetchMissing(ctx context.Context, key string, cached *extent, plan fetchPlan, r rangeRequest, fetch FetchRange) (fetchResult, error) {
	return coalesce(ctx, &c.extentCalls, planKey(key, cached, plan), func(ctx context.Context) (fetchResult, error) {
		asOf := c.now()
		// An identical call may have finished after this one planned.
		if newer, ok := get[*extent](c, key); ok && newer != cached && !c.mayBeAligned(r) && len(c.plan(newer, r, asOf).fetch) == 0 {
			return fetchResult{extent: newer}, nil
		}
		parts, err := c.fetchParts(ctx, plan, r, fetch)
		if err != nil {
			return fetchResult{}, err
		}
		if next, ok := c.mergeExtent(cached, plan.reuse, r, parts, asOf); ok {
			c.set(key, next, r.clears)
			return fetchResult{extent: next}, nil
		}
		c.entries.Invalidate(key)
		if !plan.reuse.empty() {
			return fetchResult{}, nil
		}
		response, ok := c.uniteResponses(parts)
		if !ok {
			// Native histograms, for example, are not merged.
			parts = wholeParts(plan)
			err = c.requestAll(ctx, parts, fetch)
			response = parts[0].response
		}
		return fetchResult{response: response, asOf: asOf}, err
	})
}

// planKey is equal for calls that would send the same requests and get the same extent.
func planKey(key string, cached *extent, plan fetchPlan) string {
	var b strings.Builder
	if cached != nil {
		_, _ = fmt.Fprintf(&b, "%d", cached.generation)
	}
	for _, s := range append([]stepRange{plan.reuse}, plan.fetch...) {
		_, _ = fmt.Fprintf(&b, " %d-%d", s.start, s.end)
	}
	return b.String() + "\x00" + key
}
