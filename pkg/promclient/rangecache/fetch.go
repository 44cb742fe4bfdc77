package rangecache

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
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
		responses, err := fetchRanges(ctx, plan.fetch, fetch)
		if err != nil {
			return fetchResult{}, err
		}
		next, ok := c.mergeExtent(cached, plan, r, responses, asOf)
		switch {
		case ok:
			c.set(key, next, r.clears)
			return fetchResult{extent: next}, nil
		case plan.reuse.empty():
			c.entries.Invalidate(key)
			return fetchResult{response: responses[0], asOf: asOf}, nil
		}
		c.entries.Invalidate(key)
		return fetchResult{}, nil
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

// fetchRanges requests ranges concurrently. A panic of fetch becomes a panic in the caller's goroutine, which can recover.
func fetchRanges(ctx context.Context, ranges []stepRange, fetch FetchRange) ([]*Response, error) {
	responses, panics := make([]*Response, len(ranges)), make([]any, len(ranges))
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range ranges {
		group.Go(func() (err error) {
			defer func() { panics[i] = recover() }()
			responses[i], err = fetch(ctx, time.UnixMilli(part.start).UTC(), time.UnixMilli(part.end).UTC())
			return err
		})
	}
	err := group.Wait()
	for _, cause := range panics {
		if cause != nil {
			panic(cause)
		}
	}
	return responses, err
}
