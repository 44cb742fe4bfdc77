package gateway

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// overlap is how many known events are read again with the new ones: one that was written late, or within the same second, may stand before
	// them.
	overlap = 20
	// keptStatuses is how many events with a status are kept of those that are too old: the first says when the job began.
	keptStatuses = 100
)

// eventLog is what is known of a job's events, sorted by time. Events do not change, so those that are known are not read again.
type eventLog struct {
	List[Event]
	// isOrdered reports that each event has an id, and that the gateway lists them by time, newestFirst in which order.
	isOrdered, newestFirst bool
	bytes                  int
}

// Events are the events of a job, sorted by time. Where there are more than are read at once, and the gateway lists the oldest first, the next
// calls go on.
func (c *Client) Events(ctx context.Context, job Job) (List[Event], error) {
	log, err := optional(ctx, c, "events", &c.eventEndpoint, job, func(ctx context.Context, path string) (cache.Loaded[eventLog], error) {
		log, err := c.readEvents(ctx, path, job)
		ttl := c.detailsTTL(job)
		if log.isBounded && log.isOrdered && !log.newestFirst {
			ttl = min(ttl, liveTTL)
		}
		return cache.Loaded[eventLog]{Value: log, Bytes: log.bytes, TTL: ttl}, err
	})
	return log.List, err
}

// readEvents reads the events that came since others were read, or else all.
func (c *Client) readEvents(ctx context.Context, path string, job Job) (eventLog, error) {
	read := func(from position) (eventLog, error) {
		loaded, err := list(ctx, c, path, "events of a job", maxEvents, parseEvent, 0, from)
		return newEventLog(loaded), err
	}
	before, _ := cache.Get[*eventLog](c.responses, "events/"+job.ID, math.MaxInt64)
	if before == nil || !before.isOrdered || len(before.Items) <= overlap {
		return read(position{})
	}
	from := position{known: idsOf(before.Items)}
	if !before.newestFirst {
		from.after = before.Items[len(before.Items)-1-overlap].ID
	}
	size, _ := c.pageSize.Get(c.Now())
	newer, err := read(from)
	switch {
	case errors.Is(err, transport.ErrNotFound), errors.Is(err, transport.ErrBadRequest):
		c.pageSize.Set(size, c.Now()) // it is the event that the gateway no longer knows
		return read(position{})
	case err != nil:
		return newer, err
	}
	return before.with(newer), nil
}

func newEventLog(loaded cache.Loaded[List[Event]]) eventLog {
	log := eventLog{List: loaded.Value, bytes: loaded.Bytes}
	if n := len(log.Items); n > 0 {
		log.newestFirst = byTime(log.Items[0], log.Items[n-1]) > 0
	}
	log.LacksOlder = log.Cut != "" && log.newestFirst
	if log.newestFirst {
		slices.Reverse(log.Items)
	}
	log.isOrdered = idsOf(log.Items) != nil
	for i := overlap; i < len(log.Items); i++ {
		log.isOrdered = log.isOrdered && byTime(log.Items[i-overlap], log.Items[i]) <= 0
	}
	slices.SortStableFunc(log.Items, byTime)
	return log
}

// with adds newer events, and drops the oldest if they are more than are kept.
func (log eventLog) with(newer eventLog) eventLog {
	log.bytes += newer.bytes
	log.Items = slices.Concat(log.Items, newer.Items)
	slices.SortStableFunc(log.Items, byTime)
	if over := len(log.Items) - maxEvents; over > 0 {
		kept := slices.DeleteFunc(log.Items[:over:over], func(e Event) bool { return e.Status == "" })
		kept = kept[:min(len(kept), keptStatuses)]
		log.bytes = log.bytes / len(log.Items) * (len(kept) + maxEvents)
		log.Items = slices.Concat(kept, log.Items[over:])
		log.LacksOlder = true
		log.Cut = fmt.Sprintf("The gateway has more than %d events of a job; older ones are left out.", maxEvents)
	}
	if log.isBounded = newer.isBounded; newer.Cut != "" {
		log.LacksOlder, log.Cut = newer.LacksOlder, newer.Cut
	} else if !log.LacksOlder {
		log.Cut = ""
	}
	log.isOrdered = log.isOrdered && idsOf(log.Items) != nil
	return log
}

// idsOf are the ids of events if each has one of its own.
func idsOf(events []Event) map[string]bool {
	ids := make(map[string]bool, len(events))
	for _, e := range events {
		ids[e.ID] = true
	}
	if ids[""] || len(ids) < len(events) {
		return nil
	}
	return ids
}

// byTime sorts events without a time first.
func byTime(a, b Event) int { return a.Created.Compare(b.Created) }
