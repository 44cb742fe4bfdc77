package rangecache

import (
	"context"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// moment is the kept answer to an instant query.
type moment struct {
	*Answer
	asOf int64
	// final tells that nothing changes it any more.
	final bool
	// until is when what it was made of begins to fade away, in milliseconds.
	until int64
	size  int
}

func (m *moment) bytes() int { return m.size }

// Instant answers an instant query. Questions about the present, which is the collection interval that it is now, share the
// answer that the first of them got, with the time of that one. The frames are the caller's, the labels are not.
//
// Errors are fetch's, or the context's if the caller gave up.
func (c *Cache) Instant(ctx context.Context, expr string, at time.Time, fetch func(context.Context) (*Answer, error)) (*promjson.Result, Origin, error) {
	fresh := Origin{AskedSteps: 1, AsOf: c.now()}
	if c.bypassed(ctx) {
		count(kindInstant, bypass)
		answer, err := fetch(ctx)
		if err != nil {
			return nil, Origin{}, err
		}
		return answer.Result, fresh, nil
	}
	nature, clears := Examine(expr), c.clears.Load()
	key := "instant\x00" + strconv.FormatInt(at.UnixMilli(), 10) + "\x00" + expr
	if nature.Known && c.sameInterval(at.UnixMilli(), fresh.AsOf) {
		key = "now\x00" + strconv.FormatInt(floor(fresh.AsOf, c.Interval.Milliseconds()), 10) + "\x00" + expr
	}
	if kept, ok := c.moment(key); ok {
		count(kindInstant, hit)
		return copyOf(kept.Result), Origin{CachedSteps: 1, AsOf: kept.asOf}, nil
	}
	result := miss
	if !nature.Known {
		result = bypass
	}
	count(kindInstant, result)
	got, err := together(ctx, &c.moments, key, func(ctx context.Context) (*moment, error) {
		if kept, ok := c.moment(key); ok {
			return kept, nil
		}
		asOf := c.now()
		answer, err := fetch(ctx)
		if err != nil {
			return nil, err
		}
		m := c.momentOf(answer, nature, at.UnixMilli(), asOf)
		if nature.Known && complete(answer.Result) {
			c.set(key, m, clears)
		}
		return m, nil
	})
	if err != nil {
		return nil, Origin{}, err
	}
	fresh.AsOf = got.asOf
	return copyOf(got.Result), fresh, nil
}

// moment is what is kept under a key, if it is still true.
func (c *Cache) moment(key string) (*moment, bool) {
	m, ok := get[*moment](c, key)
	if !ok {
		return nil, false
	}
	now := c.now()
	return m, c.sameInterval(m.asOf, now) || m.final && m.asOf <= now && now < m.until
}

func (c *Cache) momentOf(answer *Answer, nature Nature, at, asOf int64) *moment {
	served := asOf
	if !answer.Served.IsZero() {
		served = min(served, answer.Served.UnixMilli())
	}
	return &moment{
		Answer: answer, asOf: asOf,
		final: nature.Stepwise && at <= served-c.RecentWindow.Milliseconds(),
		until: at - nature.Reach.Milliseconds() + c.Retention.Milliseconds(),
		size:  resultBytes(answer.Result),
	}
}
