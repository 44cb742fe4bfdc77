package gateway

import (
	"context"
	"fmt"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
)

// keptStatuses is how many events with a status are kept of those that are too old: the first says when the job began.
const keptStatuses = 100

// Events are the newest events of a job, sorted by time.
func (c *Client) Events(ctx context.Context, job Job) (List[Event], error) {
	return optional(ctx, c, "events", &c.eventEndpoint, job, func(ctx context.Context, path string) (cache.Loaded[List[Event]], error) {
		isFull := false
		loaded, err := list(ctx, c, path, "events of a job", c.MaxEvents, parseEvent, c.detailsTTL(job), func(all []Event) []Event {
			if isFull = true; isNewestFirst(all) {
				return all
			}
			older, newer := all[:c.MaxEvents/2], all[c.MaxEvents/2:]
			kept := slices.DeleteFunc(slices.Clone(older), func(e Event) bool { return e.Status == "" })
			return append(kept[:min(len(kept), keptStatuses)], newer...)
		})
		found := &loaded.Value
		if found.LacksOlder = isFull; isFull {
			found.Cut = fmt.Sprintf("The gateway has more than %d events of a job; older ones are left out.", c.MaxEvents)
		}
		if isNewestFirst(found.Items) {
			found.LacksOlder = found.Cut != ""
			slices.Reverse(found.Items)
		}
		slices.SortStableFunc(found.Items, byTime)
		return loaded, err
	})
}

func isNewestFirst(listed []Event) bool {
	return len(listed) > 0 && byTime(listed[0], listed[len(listed)-1]) > 0
}

// byTime sorts events without a time first.
func byTime(a, b Event) int { return a.Created.Compare(b.Created) }
