package rangecache_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

const (
	minute = time.Minute
	recent = 10 * minute
)

// noon is when clocks start.
var noon = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// fakePlatform answers range queries from series whose samples lie on whole minutes. It is safe for concurrent use.
type fakePlatform struct {
	ms atomic.Int64 // the clock of all

	mu     sync.Mutex
	series []fakeSeries
	infos  func(*promjson.Result) []string // the info annotations of a response
	asked  []string                        // ranges, as "11:00-12:00"
	change func(*rangecache.Answer)
	moves  bool          // ranges of many points are moved to multiples of the step
	gate   chan struct{} // what is asked waits until it is closed
	ended  []error       // why what was asked ended early
}

// fakeSeries is a series with a sample for each step for which value says so. now is when it is asked.
type fakeSeries struct {
	labels data.Labels
	value  func(at, now time.Time) (float64, bool)
}

func newPlatform(series ...fakeSeries) *fakePlatform {
	p := &fakePlatform{series: series}
	p.set(noon)
	return p
}

func (p *fakePlatform) now() time.Time          { return time.UnixMilli(p.ms.Load()).UTC() }
func (p *fakePlatform) set(t time.Time)         { p.ms.Store(t.UnixMilli()) }
func (p *fakePlatform) advance(d time.Duration) { p.ms.Add(d.Milliseconds()) }

// minutes is a series whose value is the minute of the day.
func minutes(labels data.Labels) fakeSeries {
	return fakeSeries{labels, func(at, _ time.Time) (float64, bool) { return float64(at.Hour()*60 + at.Minute()), true }}
}

// between is a series that is there for a while only.
func between(labels data.Labels, from, to time.Time) fakeSeries {
	return fakeSeries{labels, func(at, _ time.Time) (float64, bool) { return 1, !at.Before(from) && at.Before(to) }}
}

// fetch is what the cache calls, for a step.
func (p *fakePlatform) fetch(step time.Duration) rangecache.FetchRange {
	return func(ctx context.Context, start, end time.Time) (*rangecache.Answer, error) {
		p.mu.Lock()
		p.asked = append(p.asked, clockTime(start)+"-"+clockTime(end))
		gate, change := p.gate, p.change
		answer := p.answer(start, end, step)
		p.mu.Unlock()
		if gate != nil {
			select {
			case <-gate:
			case <-ctx.Done():
				p.mu.Lock()
				p.ended = append(p.ended, ctx.Err())
				p.mu.Unlock()
				return nil, ctx.Err()
			}
		}
		if change != nil {
			change(answer)
		}
		if answer.Error != "" {
			return nil, fmt.Errorf("failed: %s", answer.Error)
		}
		return answer, nil
	}
}

func (p *fakePlatform) answer(start, end time.Time, step time.Duration) *rangecache.Answer {
	now := p.now()
	if points := end.Sub(start)/step + 1; p.moves && points >= 50 {
		start = start.Truncate(step)
		end = start.Add((points - 1) * step)
	}
	result := &promjson.Result{Type: promjson.Matrix}
	for _, s := range p.series {
		var times []time.Time
		var values []float64
		for at := start; !at.After(end); at = at.Add(step) {
			if value, ok := s.value(at, now); ok {
				times, values = append(times, at), append(values, value)
			}
		}
		if len(times) > 0 {
			result.Frames = append(result.Frames, data.NewFrame("", data.NewField("Time", nil, times), data.NewField("Value", s.labels, values)))
		}
	}
	if p.infos != nil {
		result.Infos = p.infos(result)
	}
	return &rangecache.Answer{Result: result, Served: now}
}

// takeAsked returns what was asked since it was called before.
func (p *fakePlatform) takeAsked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := slices.Clone(p.asked)
	p.asked = nil
	slices.Sort(asked)
	return asked
}

// uncached is what the platform would answer now.
func (p *fakePlatform) uncached(q rangecache.RangeQuery) *promjson.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answer(q.Start, q.End, q.Step).Result
}

func clockTime(t time.Time) string {
	if !t.Truncate(minute).Equal(t) {
		return t.UTC().Format("15:04:05")
	}
	return t.UTC().Format("15:04")
}

func newCache(t testing.TB, p *fakePlatform) *rangecache.Cache {
	t.Helper()
	return newCacheWith(t, p, 16<<20)
}

func newCacheWith(t testing.TB, p *fakePlatform, maxBytes int) *rangecache.Cache {
	t.Helper()
	c := rangecache.New(rangecache.Options{
		MaxBytes: maxBytes, RecentWindow: recent, Interval: minute, Retention: 30 * 24 * time.Hour, Now: p.now,
	})
	t.Cleanup(c.Close)
	return c
}

// last is a query for the time before to, on whole minutes.
func last(span time.Duration, to time.Time) rangecache.RangeQuery {
	end := to.Truncate(minute)
	return rangecache.RangeQuery{Expr: "up", Start: end.Add(-span), End: end, Step: minute}
}

// ask asks through the cache and compares with what the platform would say.
func ask(t testing.TB, c *rangecache.Cache, p *fakePlatform, q rangecache.RangeQuery) rangecache.Origin {
	t.Helper()
	got, origin, err := c.Range(context.Background(), q, p.fetch(q.Step))
	require.NoError(t, err)
	sameResult(t, p.uncached(q), got)
	return origin
}

func sameResult(t testing.TB, want, got *promjson.Result) {
	t.Helper()
	require.Equal(t, want.Type, got.Type)
	require.Subset(t, got.Infos, want.Infos, "infos of a cached range hold for its parts")
	require.Len(t, got.Frames, len(want.Frames))
	for i, frame := range want.Frames {
		require.Equal(t, frame.Fields[1].Labels, got.Frames[i].Fields[1].Labels)
		for j := range frame.Fields {
			require.Equal(t, columnOf(frame.Fields[j]), columnOf(got.Frames[i].Fields[j]))
		}
	}
}

func columnOf(field *data.Field) []any {
	column := []any{field.Name}
	for i := range field.Len() {
		column = append(column, field.At(i))
	}
	return column
}
