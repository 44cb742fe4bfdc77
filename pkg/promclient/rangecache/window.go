package rangecache

// window is a chunk that is kept, and how far it can be trusted.
type window struct {
	*chunk
	// settled is the last step that no late sample changes any more, in milliseconds.
	settled int64
	// asOf is when the steps after it were asked for, and those at the beginning whose samples fade away.
	asOf int64
	// span is how far back from its end someone wants it, and wanted when that was last asked for. A shorter range trims it
	// only after a while, so that viewers with different ranges don't take turns.
	span, wanted int64
	// generation tells windows of the same query apart.
	generation uint64
	// infos are the info annotations of the responses that the steps are from.
	infos []info
	size  int
}

func (w *window) bytes() int { return w.size }

func (w *window) covers(from, to int64) bool { return w.from <= from && to <= w.to }

// segment is a range of steps from one to another, both included; empty if to is before from.
type segment struct{ from, to int64 }

func (s segment) empty() bool { return s.to < s.from }

// request is a range query in milliseconds. to is a whole number of steps after from.
type request struct {
	from, to, step, reach int64
	// clears is how often the cache had been cleared when the request came.
	clears uint64
}

// plan is how a request is answered.
type plan struct {
	// keep is what is taken from the window; with nothing to ask, that is the answer.
	keep segment
	// ask are what is asked for; at most one before and one after keep.
	ask []segment
	// apart tells that there is a window, but too far from the request to fill what is between.
	apart bool
}

// maxSteps bounds a window. It is twice what Prometheus gives at once.
const maxSteps = 2 * maxPoints

// maxPoints is how many steps Prometheus gives at once, beside the first. A longer range is for it to refuse.
const maxPoints = 11000

// wholly is the plan to ask for everything.
func wholly(r request) plan { return plan{keep: segment{0, -1}, ask: []segment{{r.from, r.to}}} }

// plan decides what of a window, which may be nil, answers a request now, and what has to be asked for.
//
// Either everything that may have changed is asked for, or nothing is: so an answer is of one time.
func (c *Cache) plan(w *window, r request, now int64) plan {
	whole := wholly(r)
	if w == nil {
		return whole
	}
	if w.covers(r.from, r.to) && c.sameInterval(w.asOf, now) {
		return plan{keep: segment{r.from, r.to}}
	}
	recent := c.RecentWindow.Milliseconds()
	// What had faded away when it was asked for may be there for a clock that has been set back.
	faded := max(now, w.asOf) - c.Retention.Milliseconds() + r.reach
	first := max(w.from, r.from+ceil(faded-r.from, r.step))
	last := min(w.settled, r.from+floor(now-recent-r.from, r.step))
	keep := segment{first, min(last, w.to)}
	if keep.empty() {
		return whole
	}
	gap := max(recent, r.step)
	if r.from > keep.to+r.step+gap || r.to < keep.from-r.step-gap || (max(keep.to, r.to)-r.from)/r.step > maxSteps {
		whole.apart = true
		return whole
	}
	p := plan{keep: keep}
	if r.from < keep.from {
		p.ask = append(p.ask, segment{r.from, keep.from - r.step})
	}
	if r.to > keep.to {
		// Whoever looks at the newest steps of the window will want them, too.
		newest := min(w.to, r.from+floor(now-r.from, r.step))
		p.ask = append(p.ask, segment{keep.to + r.step, max(r.to, newest)})
	}
	for _, s := range p.ask {
		if (s.to-s.from)/r.step > maxPoints {
			whole.apart = true
			return whole
		}
	}
	return p
}

func ceil(t, unit int64) int64 { return -floor(-t, unit) }

// spanOf is how far back a window is kept whose newest request reaches back by span.
func (c *Cache) spanOf(w *window, span, now int64) (kept, wanted int64) {
	const patience = 30 * 60 * 1000
	if w != nil && w.span > span && now-w.wanted < patience && now >= w.wanted {
		return w.span, w.wanted
	}
	return span, now
}
