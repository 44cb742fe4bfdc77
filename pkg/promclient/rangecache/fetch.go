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
		parts, err := c.fetchParts(ctx, key, plan, r, fetch)
		if err != nil {
			return fetchResult{}, c.failed(ctx, key, parts, r, asOf, err)
		}
		c.entries.Invalidate(leftoversKey(key))
		if next, ok := c.mergeExtent(cached, plan.reuse, r, parts, asOf); ok {
			c.set(key, next, r.clears)
			return fetchResult{extent: next}, nil
		}
		c.entries.Invalidate(key)
		if !plan.reuse.empty() {
			return fetchResult{}, nil
		}
		response, ok := c.uniteResponses(parts, r)
		if !ok {
			c.suspendSplit(key, r)
		}
		return fetchResult{response: response, asOf: asOf}, nil
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

// requestPart sends the request for a part and sets its response.
type requestPart func(context.Context, *part) error

// fetchParts requests the ranges of a plan concurrently, the longest of them in parts if that pays. If one fails, the others are
// canceled. The result has all parts in ascending order, with the responses that arrived, even if there is an error.
func (c *Cache) fetchParts(ctx context.Context, key string, plan fetchPlan, r rangeRequest, fetch FetchRange) ([]part, error) {
	request := func(ctx context.Context, p *part) (err error) {
		if p.slot {
			defer c.pace.release(1)
		}
		p.response, err = fetch(ctx, RangeRequest{time.UnixMilli(p.start).UTC(), time.UnixMilli(p.end).UTC(), p.total, p.slot})
		if err == nil {
			c.pace.observe(r.samplesOf(p.stepRange), p.response.Took)
		}
		return err
	}
	parts := c.partsOf(key, plan, r)
	if i := longest(parts); i >= 0 {
		if limit := c.partsLimit(key, parts[i].stepRange, r); limit > 1 {
			var err error
			if parts, err = c.split(ctx, parts, i, limit, r, request); err != nil {
				return parts, err
			}
		}
	}
	return parts, requestAll(ctx, parts, request)
}

// requestAll requests the parts that have no response yet concurrently. A panic of request becomes a panic in the caller's
// goroutine, which can recover.
func requestAll(ctx context.Context, parts []part, request requestPart) error {
	panics := make([]any, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	for i := range parts {
		if parts[i].response != nil {
			continue
		}
		group.Go(func() error {
			defer func() { panics[i] = recover() }()
			return request(ctx, &parts[i])
		})
	}
	err := group.Wait()
	for _, cause := range panics {
		if cause != nil {
			panic(cause)
		}
	}
	return err
}
