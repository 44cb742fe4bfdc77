package rangecache

import (
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// leftovers is an entry for the parts of a range that were fetched before another part failed. The query fails, and the next
// one for that range does not request these parts again.
type leftovers struct {
	// extents are in ascending order, with gaps.
	extents []*extent
	size    int
	until   int64
}

// leftoversTTL is long enough for the refreshes of a dashboard during an outage.
const leftoversTTL = time.Hour

func (l *leftovers) bytes() int { return l.size }

func (l *leftovers) expires() int64 { return l.until }

func leftoversKey(key string) string { return "leftovers\x00" + key }

// keep stores the parts that have a response.
func (c *Cache) keep(key string, parts []part, r rangeRequest, asOf int64) {
	kept := &leftovers{until: asOf + leftoversTTL.Milliseconds()}
	for _, p := range parts {
		if p.response == nil {
			continue
		}
		if e, ok := c.mergeExtent(nil, fetchEverything(r).reuse, r, []part{p}, asOf); ok {
			kept.extents = append(kept.extents, e)
			kept.size += e.bytes()
		}
	}
	if len(kept.extents) > 0 {
		c.set(leftoversKey(key), kept, r.clears)
	}
}

// usable are the steps of leftovers whose values have not changed, as parts with a response.
func (c *Cache) usable(key string, r rangeRequest) []part {
	left, ok := get[*leftovers](c, leftoversKey(key))
	if !ok || c.mayBeAligned(r) {
		return nil
	}
	var usable []part
	for _, e := range left.extents {
		if steps := c.unchanged(e, r, c.now()); !steps.empty() {
			result := e.slice(steps.start, steps.end).result()
			result.Infos = textsOf(e.infosOf(steps))
			usable = append(usable, part{stepRange: steps, response: &Response{Result: result}})
		}
	}
	return usable
}

// partsOf are the ranges of a plan, split where there are leftovers, which have a response.
func (c *Cache) partsOf(key string, plan fetchPlan, r rangeRequest) []part {
	kept := c.usable(key, r)
	var parts []part
	for _, s := range plan.fetch {
		for _, p := range kept {
			if p.start < s.start || p.end > s.end {
				continue
			}
			if p.start > s.start {
				parts = append(parts, newPart(s.start, p.start-r.step))
			}
			parts = append(parts, p)
			s.start = p.end + r.step
		}
		if !s.empty() {
			parts = append(parts, newPart(s.start, s.end))
		}
	}
	return parts
}

func newPart(start, end int64) part {
	return part{stepRange: stepRange{start, end}, total: &promjson.Total{}}
}
