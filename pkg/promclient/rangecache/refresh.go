package rangecache

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// outcome is what asking for the missing parts of a window brings: a new window; or an answer as it came, if it can't be kept;
// or neither, if it does not fit the window, which is gone then.
type outcome struct {
	window *window
	whole  *Answer
	asOf   int64
}

// refresh asks for what is missing and puts it together with what is kept of the window. Whoever has the same plan for the
// same window gets the same outcome; it is worked on as long as anyone waits for it.
func (c *Cache) refresh(ctx context.Context, slot string, w *window, p plan, r request, fetch FetchRange) (outcome, error) {
	return together(ctx, &c.windows, flightKey(slot, w, p), func(ctx context.Context) (outcome, error) {
		asOf := c.now()
		// Whoever had the same plan may have just finished.
		if done, ok := get[*window](c, slot); ok && done != w && !c.mayBeMoved(r) && len(c.plan(done, r, asOf).ask) == 0 {
			return outcome{window: done}, nil
		}
		answers, err := fetchAll(ctx, p.ask, fetch)
		if err != nil {
			return outcome{}, err
		}
		next, ok := c.assemble(w, p, r, answers, asOf)
		switch {
		case ok:
			c.set(slot, next, r.clears)
			return outcome{window: next}, nil
		case p.keep.empty():
			c.entries.Invalidate(slot)
			return outcome{whole: answers[0], asOf: asOf}, nil
		}
		c.entries.Invalidate(slot)
		return outcome{}, nil
	})
}

// flightKey is the same for those who would ask for the same parts and get the same window.
func flightKey(slot string, w *window, p plan) string {
	var key strings.Builder
	if w != nil {
		_, _ = fmt.Fprintf(&key, "%d", w.generation)
	}
	for _, s := range append([]segment{p.keep}, p.ask...) {
		_, _ = fmt.Fprintf(&key, " %d-%d", s.from, s.to)
	}
	return key.String() + "\x00" + slot
}

// fetchAll asks for all parts side by side. It panics if one does, in the caller's goroutine, where someone may recover.
func fetchAll(ctx context.Context, parts []segment, fetch FetchRange) ([]*Answer, error) {
	answers, causes := make([]*Answer, len(parts)), make([]any, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(func() (err error) {
			defer func() { causes[i] = recover() }()
			answers[i], err = fetch(ctx, time.UnixMilli(part.from).UTC(), time.UnixMilli(part.to).UTC())
			return err
		})
	}
	err := group.Wait()
	for _, cause := range causes {
		if cause != nil {
			panic(cause)
		}
	}
	return answers, err
}

// assemble makes the next window. It fails if an answer must not be kept or can't be put together with the others.
func (c *Cache) assemble(w *window, p plan, r request, answers []*Answer, asOf int64) (*window, bool) {
	served := asOf
	var parts []*chunk
	for i, part := range p.ask {
		if !complete(answers[i].Result) || !infosMerge(answers[i].Infos) {
			return nil, false
		}
		packed, ok := pack(answers[i].Result, part.from, part.to, r.step)
		if !ok {
			return nil, false
		}
		if t := answers[i].Served; !t.IsZero() {
			served = min(served, t.UnixMilli())
		}
		c.learnGrid(packed)
		parts = append(parts, packed)
	}
	next := &window{asOf: asOf, generation: c.generation.Add(1)}
	to := max(p.keep.to, p.ask[len(p.ask)-1].to)
	next.span, next.wanted = c.spanOf(w, to-r.from, asOf)
	// A clock that is ahead of the platform's must not take for final what the platform has no samples for yet.
	next.settled = r.from + floor(served-c.RecentWindow.Milliseconds()-r.from, r.step)
	if p.keep.empty() {
		next.chunk = parts[0]
	} else {
		next.settled = max(next.settled, p.keep.to)
		kept := segment{trimmed(p.keep, to-next.span-c.slack(r.step)), p.keep.to}
		next.infos = w.infosOn(kept)
		next.chunk = join(around(w.cut(kept.from, kept.to), parts)...)
	}
	next.settled = min(next.settled, to)
	for i, part := range p.ask {
		next.infos = mergeInfos(next.infos, answers[i].Infos, part.to)
	}
	if len(next.infos) > maxInfos {
		return nil, false
	}
	next.size = next.chunk.bytes() + infoBytes(next.infos) + 128
	return next, true
}

// trimmed is the first step of what is kept that is worth keeping; at least one step remains.
func trimmed(keep segment, oldest int64) int64 { return min(max(keep.from, oldest), keep.to) }

// slack is how much more is kept than is wanted, for viewers whose clocks are behind.
func (c *Cache) slack(step int64) int64 { return ceil(c.RecentWindow.Milliseconds(), step) + step }

// around puts parts before or after what is kept.
func around(kept *chunk, parts []*chunk) []*chunk {
	all := []*chunk{kept}
	for _, part := range parts {
		if part.to < kept.from {
			all = append([]*chunk{part}, all...)
		} else {
			all = append(all, part)
		}
	}
	return all
}
