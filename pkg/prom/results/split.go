package results

import (
	"context"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
)

const (
	day = 24 * time.Hour
	// minWindows is how many times as long as the window of the expression a part is at least, because every part reads the
	// samples of a window before its first step.
	minWindows = 4
	// partsAtOnce bounds the requests for parts of long ranges, so that those of other queries need not wait.
	partsAtOnce = 4
	// maxParts bounds the parts of a range, which are longer than a day in an archive of years.
	maxParts = 32
	// defaultSlowAfter is a third of the time after which a panel fails by default, which is 30 seconds.
	defaultSlowAfter = 10 * time.Second
	// slowTTL is how long ranges are split after the platform was slow.
	slowTTL = time.Hour
)

// part is a range, and the response to the request for it.
type part struct {
	stepRange
	// total counts the responses to all parts of a range, because the limits apply to the whole; nil for a whole range.
	total    *promjson.Total
	response *Response
}

// fetchParts requests the ranges of a plan concurrently: whole, or in parts if the platform has been slow or refuses them whole. If
// one request fails, the others are canceled. The parts are in ascending order.
func (c *Cache) fetchParts(ctx context.Context, plan fetchPlan, r rangeRequest, fetch FetchRange) ([]part, error) {
	whole, split := wholeParts(plan), c.splitParts(plan, r)
	if len(split) == len(whole) {
		return whole, c.requestAll(ctx, whole, fetch)
	}
	if !c.isSlow() {
		asked := c.now()
		err := c.requestAll(ctx, whole, fetch)
		if c.now()-asked > c.SlowAfter.Milliseconds() {
			c.slowUntil.Store(c.now() + slowTTL.Milliseconds())
		}
		if err == nil || ctx.Err() != nil || c.Refused == nil || !c.Refused(err) {
			return whole, err
		}
	}
	splitRequests.Add(float64(len(split)))
	return split, c.requestAll(ctx, split, fetch)
}

func (c *Cache) isSlow() bool { return c.SlowAfter < 0 || c.now() < c.slowUntil.Load() }

func (c *Cache) requestAll(ctx context.Context, parts []part, fetch FetchRange) error {
	group, ctx := panics.NewCancelingGroup(ctx)
	for i := range parts {
		group.Go(func() (err error) {
			p := &parts[i]
			if p.total != nil {
				select {
				case c.partSlots <- struct{}{}:
					defer func() { <-c.partSlots }()
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			p.response, err = fetch(ctx, RangeRequest{time.UnixMilli(p.start).UTC(), time.UnixMilli(p.end).UTC(), p.total})
			return err
		})
	}
	return group.Wait()
}

func wholeParts(plan fetchPlan) []part {
	var parts []part
	for _, s := range plan.fetch {
		parts = append(parts, part{stepRange: s})
	}
	return parts
}

// splitParts splits the ranges of a plan at midnight UTC. Query front-ends split and cache ranges at the same times, and there may be
// one on the platform. It splits none that would have parts too short for the window of the query.
func (c *Cache) splitParts(plan fetchPlan, r rangeRequest) []part {
	var parts []part
	for _, s := range plan.fetch {
		unit := max(day.Milliseconds(), ceil((s.end-s.start)/(maxParts-1), day.Milliseconds()))
		if minWindows*r.window.Milliseconds() > unit || c.mayBeAligned(r) {
			parts = append(parts, part{stepRange: s})
			continue
		}
		total := &promjson.Total{}
		for start := s.start; start <= s.end; {
			midnight := floor(start, unit) + unit
			next := min(start+ceil(midnight-start, r.step), s.end+r.step)
			parts = append(parts, part{stepRange: stepRange{start, next - r.step}, total: total})
			start = next
		}
	}
	return parts
}
