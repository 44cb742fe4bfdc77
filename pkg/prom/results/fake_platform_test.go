package results_test

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

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

const (
	minute = time.Minute
	recent = 10 * minute
)

// noon is when clocks start.
var noon = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// fakePlatform serves range queries of series whose samples lie on whole minutes. It is safe for concurrent use.
type fakePlatform struct {
	ms       atomic.Int64 // the clock of the platform and of the cache
	mu       sync.Mutex
	series   []fakeSeries
	infos    func(*promjson.Result) []string // the info annotations of a response
	requests []string                        // their ranges, as "11:00-12:00"
	change   func(*results.Response)
	aligns   bool // ranges of many points are moved to multiples of the step
	fail     func(start time.Time) error
	gate     chan struct{} // responses wait until it is closed
	ended    []error       // the errors of canceled requests
}

// fakeSeries is a series with a sample at each step for which value returns true. now is the time of the request.
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

// between is a series that has samples from one time to another.
func between(labels data.Labels, from, to time.Time) fakeSeries {
	return fakeSeries{labels, func(at, _ time.Time) (float64, bool) { return 1, !at.Before(from) && at.Before(to) }}
}

// fetch sends requests with a step to the platform.
func (p *fakePlatform) fetch(step time.Duration) results.FetchRange {
	return func(ctx context.Context, r results.RangeRequest) (*results.Response, error) {
		start, end := r.Start, r.End
		p.mu.Lock()
		p.requests = append(p.requests, clockTime(start)+"-"+clockTime(end))
		gate, change, fail := p.gate, p.change, p.fail
		response := p.respond(start, end, step)
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
			change(response)
		}
		if fail != nil {
			if err := fail(start); err != nil {
				return nil, err
			}
		}
		if response.Error != "" {
			return nil, fmt.Errorf("failed: %s", response.Error)
		}
		return asDecoded(response, start, end, step), nil
	}
}

// asDecoded is a response with a matrix, as the decoder makes it.
func asDecoded(response *results.Response, start, end time.Time, step time.Duration) *results.Response {
	steps := series.Grid{Start: start.UnixMilli(), End: end.UnixMilli(), Step: step.Milliseconds()}
	if m, ok := series.OfFrames(response.Frames, steps); ok && response.Type == promjson.Matrix {
		response.Matrix, response.Frames = m, nil
	}
	return response
}

func (p *fakePlatform) respond(start, end time.Time, step time.Duration) *results.Response {
	now := p.now()
	if points := end.Sub(start)/step + 1; p.aligns && points >= 50 {
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
	return &results.Response{Result: result, Date: now}
}

// takeRequests returns the requests since the last call, sorted.
func (p *fakePlatform) takeRequests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	requests := slices.Clone(p.requests)
	p.requests = nil
	slices.Sort(requests)
	return requests
}

// uncached is the result that the platform would return now.
func (p *fakePlatform) uncached(q results.RangeQuery) *promjson.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.respond(q.Start, q.End, q.Step).Result
}

func clockTime(t time.Time) string {
	if !t.Truncate(minute).Equal(t) {
		return t.UTC().Format("15:04:05")
	}
	return t.UTC().Format("15:04")
}

func newCache(t testing.TB, p *fakePlatform) *results.Cache {
	t.Helper()
	return newCacheWith(t, p, 16<<20)
}

func newCacheWith(t testing.TB, p *fakePlatform, maxBytes int) *results.Cache {
	t.Helper()
	c := results.New(results.Options{
		MaxBytes: maxBytes, RecentWindow: recent, Interval: minute, Retention: retention, Now: p.now,
	})
	t.Cleanup(c.Close)
	return c
}

// last is a query of a span up to a time, on whole minutes.
func last(span time.Duration, to time.Time) results.RangeQuery {
	end := to.Truncate(minute)
	return results.RangeQuery{Expr: "up", Start: end.Add(-span), End: end, Step: minute}
}

// analyzed is a query with what its expression needs.
func analyzed(q results.RangeQuery) results.RangeQuery {
	q.Needs = promql.Analyze(q.Expr)
	return q
}

// query runs a query with the cache and compares the result with that of the platform.
func query(t testing.TB, c *results.Cache, p *fakePlatform, q results.RangeQuery) results.Origin {
	t.Helper()
	got, origin, err := c.Range(context.Background(), analyzed(q), p.fetch(q.Step))
	require.NoError(t, err)
	want := p.uncached(q)
	if origin.CachedSteps > 0 {
		require.Subset(t, got.Infos, want.Infos, "infos of a cached range hold for its parts")
		got.Infos = want.Infos
	}
	requireSameResult(t, want, got)
	return origin
}

func requireSameResult(t require.TestingT, want, got *promjson.Result) {
	require.Equal(t, want.Type, got.Type)
	require.Equal(t, want.Infos, got.Infos)
	frames := got.AllFrames()
	require.Len(t, frames, len(want.Frames))
	for i, frame := range want.Frames {
		require.Equal(t, frame.Fields[1].Labels, frames[i].Fields[1].Labels)
		for j := range frame.Fields {
			require.Equal(t, columnOf(frame.Fields[j]), columnOf(frames[i].Fields[j]))
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
