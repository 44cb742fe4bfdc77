package rangecache

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// RangeQuery is a question for every step from Start to End, which is a whole number of steps later. Whatever else is sent
// with it has to be the same for all queries of a cache.
type RangeQuery struct {
	Expr       string
	Start, End time.Time
	Step       time.Duration
}

// FetchRange asks the platform for the steps of a query from start to end.
type FetchRange func(ctx context.Context, start, end time.Time) (*Answer, error)

// attempts is how often an answer is put together anew that does not have what it was made for: windows may be trimmed for
// someone else in between.
const attempts = 3

// Range answers a range query, and asks for no more than it has to. The frames are the caller's, the labels are not.
//
// Errors are fetch's, a *[promjson.LimitError], or the context's if the caller gave up; others who wait for the same answer
// still get it.
func (c *Cache) Range(ctx context.Context, q RangeQuery, fetch FetchRange) (*promjson.Result, Origin, error) {
	r := request{from: q.Start.UnixMilli(), step: q.Step.Milliseconds(), clears: c.clears.Load()}
	r.to = r.from + floor(q.End.UnixMilli()-r.from, r.step)
	nature := Examine(q.Expr)
	r.reach = (nature.Reach + q.Step).Milliseconds() // some engines look back a step for any sample
	points := (r.to - r.from) / r.step
	if c.bypassed(ctx) || !nature.Stepwise || points < 0 || points > maxPoints {
		count(kindRange, bypass)
		return c.bypass(ctx, q, r, fetch)
	}
	key := "range\x00" + strconv.FormatInt(r.step, 10) + "\x00" + strconv.FormatInt(r.from-floor(r.from, r.step), 10) + "\x00" + q.Expr
	for range attempts {
		slot, w, p := c.choose(key, r)
		if c.mayBeMoved(r) {
			p = wholly(r)
		}
		if len(p.ask) == 0 {
			return c.answer(w, r, p, hit)
		}
		out, err := c.refresh(ctx, slot, w, p, r, fetch)
		switch {
		case err != nil:
			count(kindRange, miss)
			return nil, Origin{}, err
		case out.window != nil && out.window.covers(r.from, r.to):
			result := partial
			if p.keep.empty() {
				result = miss
			}
			return c.answer(out.window, r, p, result)
		case out.whole != nil:
			count(kindRange, miss)
			return copyOf(out.whole.Result), c.asked(r, out.asOf), nil
		}
	}
	count(kindRange, bypass)
	return c.bypass(ctx, q, r, fetch)
}

// bypass asks for the whole range, once for all who ask at the same time.
func (c *Cache) bypass(ctx context.Context, q RangeQuery, r request, fetch FetchRange) (*promjson.Result, Origin, error) {
	asOf := c.now()
	whole := func(ctx context.Context) (*Answer, error) { return fetch(ctx, q.Start, q.End) }
	if !c.Enabled() {
		answer, err := whole(ctx)
		if err != nil {
			return nil, Origin{}, err
		}
		return answer.Result, c.asked(r, asOf), nil
	}
	answer, err := together(ctx, &c.wholes, fmt.Sprintf("%d\x00%d\x00%d\x00%s", q.Start.UnixMilli(), q.End.UnixMilli(), r.step, q.Expr), whole)
	if err != nil {
		return nil, Origin{}, err
	}
	return copyOf(answer.Result), c.asked(r, asOf), nil
}

// choose finds the window that a request is answered with. A query has two: the one at the present, and one for whoever looks
// elsewhere, so that this does not push out what all others look at.
func (c *Cache) choose(key string, r request) (slot string, w *window, p plan) {
	now := c.now()
	w, _ = get[*window](c, key)
	p = c.plan(w, r, now)
	present := r.to > now-c.RecentWindow.Milliseconds()-r.step
	if p.apart && !present {
		key += "\x00elsewhere"
		w, _ = get[*window](c, key)
		p = c.plan(w, r, now)
	}
	return key, w, p
}

func (c *Cache) answer(w *window, r request, p plan, counted string) (*promjson.Result, Origin, error) {
	o := Origin{AsOf: w.asOf}
	total := int((r.to-r.from)/r.step) + 1
	kept := chunk{from: max(r.from, p.keep.from), to: min(r.to, p.keep.to), step: r.step}
	o.CachedSteps = kept.steps()
	o.AskedSteps = total - o.CachedSteps
	count(kindRange, counted)
	countSteps(o)
	part := w.cut(r.from, r.to)
	if err := c.Limits.Check(len(part.series), part.samples(), 0); err != nil {
		return nil, Origin{}, err
	}
	result := part.result()
	result.Infos = textsOf(w.infosOn(segment{r.from, r.to}))
	return result, o, nil
}

// asked is the origin of an answer that was asked for as a whole.
func (c *Cache) asked(r request, asOf int64) Origin {
	o := Origin{AskedSteps: int((r.to-r.from)/r.step) + 1, AsOf: asOf}
	countSteps(o)
	return o
}
