package rangecache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

const (
	day       = 24 * time.Hour
	halfHour  = 30 * minute
	partSlots = 16
)

var errTransient = errors.New("down for a moment")

// newSplitter is a cache that splits ranges.
func newSplitter(t testing.TB, p *fakePlatform, partTime time.Duration) *rangecache.Cache {
	t.Helper()
	c := rangecache.New(rangecache.Options{
		MaxBytes: 16 << 20, RecentWindow: recent, Interval: minute, Retention: retention, PartTime: partTime, PartSlots: partSlots,
		Transient: func(err error) bool { return errors.Is(err, errTransient) }, Now: p.now,
	})
	t.Cleanup(c.Close)
	return c
}

// newSlowPlatform takes 50 ms for a day.
func newSlowPlatform(series ...fakeSeries) *fakePlatform {
	p := newPlatform(series...)
	p.perDay = 50 * time.Millisecond
	return p
}

const partTime = 250 * time.Millisecond

// ofDays is a query of days up to noon, at half an hour.
func ofDays(days int, expr string) rangecache.RangeQuery {
	return rangecache.RangeQuery{Expr: expr, Start: noon.Add(-time.Duration(days) * day), End: noon, Step: halfHour}
}

// learn makes a cache know how slow the platform is.
func learn(t testing.TB, c *rangecache.Cache, p *fakePlatform) {
	t.Helper()
	query(t, c, p, ofDays(2, "learn"))
	p.takeRequests()
}

func TestSplit_SlowPlatform(t *testing.T) {
	p := newSlowPlatform(up, between(data.Labels{"pod": "a"}, noon.Add(-9*day), noon.Add(-8*day)))
	c := newSplitter(t, p, partTime)
	learn(t, c, p)
	query(t, c, p, ofDays(30, "up"))
	requests := p.takeRequests()
	require.Len(t, requests, 6, "30 days at 50 ms, in parts of 250 ms")
	midnights := 0
	for _, r := range requests {
		if strings.HasPrefix(r, "00:00-") {
			midnights++
		}
	}
	require.Equal(t, 5, midnights, "all parts but the first start at midnight: %v", requests)
	p.advance(minute)
	query(t, c, p, ofDays(30, "up"))
	require.Len(t, p.takeRequests(), 2, "a refresh requests what the retention deleted, and the recent window")
}

func TestSplit_FirstRangeIsMeasured(t *testing.T) {
	for name, test := range map[string]struct {
		latency, perDay time.Duration
		first, second   int
	}{
		"fast":            {0, time.Millisecond, 2, 1},
		"slow":            {0, 50 * time.Millisecond, 6, 6},
		"very slow":       {0, time.Second, 9, 8},
		"only a latency":  {100 * time.Millisecond, 0, 4, 1},
		"fast but far":    {100 * time.Millisecond, time.Millisecond, 4, 1},
		"nothing is said": {0, 0, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(up)
			p.latency, p.perDay = test.latency, test.perDay
			c := newSplitter(t, p, partTime)
			query(t, c, p, ofDays(30, "first"))
			require.Len(t, p.takeRequests(), test.first)
			query(t, c, p, last(time.Hour, noon))
			p.takeRequests()
			query(t, c, p, ofDays(30, "second"))
			require.Len(t, p.takeRequests(), test.second)
		})
	}
}

func TestSplit_ShortRangesAreNotMeasured(t *testing.T) {
	p := newSlowPlatform(up)
	c := newSplitter(t, p, partTime)
	query(t, c, p, ofDays(6, "up"))
	require.Len(t, p.takeRequests(), 1)
}

func TestSplit_WindowIsReadByEveryPart(t *testing.T) {
	for expr, want := range map[string]int{
		"up": 8, "rate(up[1d])": 7, "max_over_time(up[3d])": 2, "max_over_time(up[7d])": 1, "avg_over_time(rate(up[5m])[7d:1h])": 1,
		"up offset 7d": 8, "sum(up) / sum(up offset 1w)": 8, "max_over_time(up[30d])": 1,
	} {
		t.Run(expr, func(t *testing.T) {
			p := newPlatform(up)
			p.perDay = time.Second
			c := newSplitter(t, p, partTime)
			learn(t, c, p)
			query(t, c, p, ofDays(30, expr))
			require.Len(t, p.takeRequests(), want)
		})
	}
}

func TestSplit_NeverWithoutTheCache(t *testing.T) {
	p := newSlowPlatform(up)
	for name, test := range map[string]struct {
		ctx  context.Context
		expr string
		off  bool
	}{
		"cache off":          {context.Background(), "up", true},
		"bypassed":           {rangecache.NoCache(context.Background()), "up", false},
		"the start of range": {context.Background(), "up - up @ start()", false},
		"the end of range":   {context.Background(), "max_over_time(up[5m] @ end())", false},
		"later samples":      {context.Background(), "up offset -1h", false},
		"a function of end":  {context.Background(), "up + end()", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newSplitter(t, p, partTime)
			if test.off {
				c = newCacheWith(t, p, 0)
			}
			learn(t, c, p)
			_, _, err := c.Range(test.ctx, ofDays(30, test.expr), p.fetch(halfHour))
			require.NoError(t, err)
			require.Len(t, p.takeRequests(), 1)
		})
	}
}

// Results are those of one request, whatever the step and the ends of a range.
func TestSplit_SameResult(t *testing.T) {
	p := newSlowPlatform(
		up,
		between(data.Labels{"pod": "a"}, noon.Add(-20*day), noon.Add(-5*day)),
		between(data.Labels{"pod": "b"}, noon.Add(-3*day), noon.Add(-2*day)),
		fakeSeries{data.Labels{"pod": "c"}, func(at, _ time.Time) (float64, bool) { return 1, at.Unix()/3600%5 < 3 }},
		between(data.Labels{"pod": "d"}, noon.Add(-40*day), noon.Add(-29*day)),
	)
	split := 0
	rapid.Check(t, func(rt *rapid.T) {
		p.takeRequests()
		c := newSplitter(t, p, time.Microsecond)
		for i := range 3 {
			step := rapid.SampledFrom([]time.Duration{5 * minute, 7 * minute, halfHour, 5 * time.Hour, 7 * time.Hour, day, 31 * time.Hour, 3 * day}).Draw(rt, "step")
			start := noon.Add(-time.Duration(rapid.IntRange(60, 40*24*60).Draw(rt, "start")) * minute)
			end := start.Add(min(time.Duration(rapid.IntRange(1, 1000).Draw(rt, "steps")), noon.Sub(start)/step) * step)
			q := rangecache.RangeQuery{Expr: fmt.Sprint("up", i%2), Start: start, End: end, Step: step}
			got, _, err := c.Range(context.Background(), q, p.fetch(step))
			require.NoError(rt, err)
			requireSameResult(rt, p.uncached(q), got)
		}
		split = max(split, len(p.takeRequests()))
	})
	require.Greater(t, split, 5)
}

func TestSplit_NoMoreRequestsThanSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newSlowPlatform(up)
		c := newSplitter(t, p, partTime)
		learn(t, c, p)
		for range 2 {
			release := p.hold()
			var callers []*caller
			for i := range 10 {
				callers = append(callers, start(c, p, ofDays(30, fmt.Sprint("up", i))))
				synctest.Wait()
			}
			require.Len(t, p.takeRequests(), 6+6+4+7, "when the slots are taken, ranges are requested whole")
			release()
			for _, w := range callers {
				<-w.done
				require.NoError(t, w.err)
			}
			c.Clear()
		}
	})
}

func TestSplit_PartsThatSucceededAreCached(t *testing.T) {
	for name, test := range map[string]struct {
		failed func(start time.Time) bool
		again  int
	}{
		// The parts start on 3, 9, 14, 19, 24 and 29 May. The last step and the first are not final.
		"the newest":   {func(start time.Time) bool { return start.Day() == 29 }, 2},
		"one between":  {func(start time.Time) bool { return start.Day() == 19 }, 3},
		"every second": {func(start time.Time) bool { return start.Day() == 9 || start.Day() == 19 || start.Day() == 29 }, 4},
		"all of them":  {func(time.Time) bool { return true }, 1}, // whole
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newSlowPlatform(up)
				c := newSplitter(t, p, partTime)
				learn(t, c, p)
				p.fail = func(start time.Time) error {
					if !test.failed(start) {
						return nil
					}
					time.Sleep(time.Second) // until the others have succeeded
					return errors.New("overloaded")
				}
				_, _, err := c.Range(context.Background(), ofDays(30, "up"), p.fetch(halfHour))
				require.ErrorContains(t, err, "overloaded", "an outage is an error, although most parts succeeded")
				require.Len(t, p.takeRequests(), 6)
				p.fail = nil
				query(t, c, p, ofDays(30, "up"))
				require.Len(t, p.takeRequests(), test.again)
				query(t, c, p, ofDays(30, "up"))
				require.Empty(t, p.takeRequests())
			})
		})
	}
}

// Parts that succeeded are used as long as the platform would return the same.
func TestSplit_PartsThatSucceededExpire(t *testing.T) {
	for name, test := range map[string]struct {
		days    int
		advance time.Duration
		again   int
	}{
		"in the same minute":          {20, 59 * time.Second, 2},
		"later":                       {20, halfHour, 2},
		"when samples were deleted":   {30, halfHour, 3},
		"when the clock was set back": {20, -7 * day, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newSlowPlatform(retained(0))
				c := newSplitter(t, p, partTime)
				learn(t, c, p)
				p.fail = func(start time.Time) error {
					if start.Day() != 19 && start.Day() != 18 {
						return nil
					}
					time.Sleep(time.Second)
					return errors.New("overloaded")
				}
				_, _, err := c.Range(context.Background(), ofDays(test.days, "up"), p.fetch(halfHour))
				require.Error(t, err)
				p.fail = nil
				p.takeRequests()
				p.advance(test.advance)
				query(t, c, p, ofDays(test.days, "up"))
				require.Len(t, p.takeRequests(), test.again)
			})
		})
	}
}

// If the platform was down when a part was requested, what is missing is requested once more, without parts.
func TestSplit_TransientFailure(t *testing.T) {
	for name, test := range map[string]struct {
		times int64
		fails bool
	}{"once": {1, false}, "twice": {2, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newSlowPlatform(up)
				c := newSplitter(t, p, partTime)
				learn(t, c, p)
				var failed atomic.Int64
				p.fail = func(start time.Time) error {
					if start.Day() != 19 || failed.Add(1) > test.times {
						return nil
					}
					time.Sleep(time.Second) // until the others have succeeded
					return errTransient
				}
				got, _, err := c.Range(context.Background(), ofDays(30, "up"), p.fetch(halfHour))
				if test.fails {
					require.ErrorIs(t, err, errTransient)
				} else {
					require.NoError(t, err)
					requireSameResult(t, p.uncached(ofDays(30, "up")), got)
				}
				require.Len(t, p.takeRequests(), 6+3, "the part, and the first and the last step, which may have changed")
			})
		})
	}
}

func TestSplit_MeasuredPartIsCached(t *testing.T) {
	p := newSlowPlatform(up)
	c := newSplitter(t, p, partTime)
	p.fail = func(start time.Time) error {
		if start.Before(noon.Add(-5 * day)) {
			return errors.New("overloaded")
		}
		return nil
	}
	_, _, err := c.Range(context.Background(), ofDays(30, "up"), p.fetch(halfHour))
	require.Error(t, err)
	p.fail = nil
	p.takeRequests()
	query(t, c, p, ofDays(30, "up"))
	require.Len(t, p.takeRequests(), 1+1, "26.5 days, and the last step, which is not final")
}
