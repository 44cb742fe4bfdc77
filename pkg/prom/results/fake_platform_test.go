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
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
)

const (
	minute = time.Minute
	recent = 10 * minute
)

// noon is when clocks start.
var noon = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// fakePlatform is a source of series whose samples lie on whole minutes. It is safe for concurrent use.
type fakePlatform struct {
	ms       atomic.Int64 // the clock of the platform and of the cache
	mu       sync.Mutex
	series   []fakeSeries
	infos    func(*response) []string // the info annotations of a response
	requests []string                 // their ranges, as "11:00-12:00"
	change   func(*response)
	aligns   bool // ranges of many points are moved to multiples of the step
	fail     func(start time.Time) error
	gate     chan struct{} // responses wait until it is closed
	totals   map[*atomic.Int64]bool
	// instant and list serve the other kinds of queries.
	instant func() (*response, error)
	list    func() *promql.List
}

// response is a response before it is decoded.
type response struct {
	promql.Result
	Frames data.Frames
	Error  string
	Date   time.Time
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

// Evaluate responds to a request.
func (p *fakePlatform) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	origin := promql.Origin{FetchedSteps: q.Steps(), AsOf: p.now().UnixMilli()}
	result, err := p.evaluate(ctx, q)
	if err == nil {
		result.Origin = origin
	}
	return result, err
}

func (p *fakePlatform) evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	if q.Step == 0 {
		return p.evaluateAt(q)
	}
	start, end := time.UnixMilli(q.Start).UTC(), time.UnixMilli(q.End).UTC()
	p.mu.Lock()
	p.requests = append(p.requests, clockTime(start)+"-"+clockTime(end))
	if p.totals != nil {
		p.totals[q.Part] = true
	}
	gate, change, fail := p.gate, p.change, p.fail
	response := p.respond(start, end, time.Duration(q.Step)*time.Millisecond)
	p.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
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
	return response.decoded(), nil
}

// evaluateAt responds to an instant query.
func (p *fakePlatform) evaluateAt(q promql.Query) (*promql.Result, error) {
	if p.instant != nil {
		response, err := p.instant()
		return response.decoded(), err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := time.UnixMilli(q.End).UTC()
	response := p.respond(at, at, minute)
	response.Type = parser.ValueTypeVector
	return response.decoded(), nil
}

// List responds to a request for a list.
func (p *fakePlatform) List(context.Context, promql.ListQuery) (*promql.List, error) {
	return p.list(), nil
}

// decoded is the result as the decoder makes it. A frame of text stands for native histograms.
func (r *response) decoded() *promql.Result {
	result := r.Result
	b := series.New()
	for _, frame := range r.Frames {
		if frame.Fields[1].Type() != data.FieldTypeFloat64 {
			b.Add(frame.Fields[1].Labels, nil, nil, &series.Histograms{Times: []int64{0}, Ends: []int{0}})
			continue
		}
		m := promtest.Matrix(data.Frames{frame})
		b.Add(frame.Fields[1].Labels, m.Series[0].Times, m.Series[0].Values, nil)
	}
	result.Matrix, result.Date = b, r.Date.UnixMilli()
	return &result
}

func (p *fakePlatform) respond(start, end time.Time, step time.Duration) *response {
	now := p.now()
	if points := end.Sub(start)/step + 1; p.aligns && points >= 50 {
		start = start.Truncate(step)
		end = start.Add((points - 1) * step)
	}
	result := &response{Result: promql.Result{Type: parser.ValueTypeMatrix}, Date: now}
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
	return result
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
func (p *fakePlatform) uncached(q rangeQuery) *promql.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.respond(q.Start, q.End, q.Step).decoded()
}

// rangeQuery is a range query.
type rangeQuery struct {
	Expr       string
	Start, End time.Time
	Step       time.Duration
	Scope      string
}

// ask runs a query with the cache.
func ask(ctx context.Context, c *results.Cache, q rangeQuery) (*promql.Result, promql.Origin, error) {
	of := promql.New(q.Expr).Over(q.Start, q.End, q.Step)
	of.Scope = q.Scope
	got, err := c.Evaluate(ctx, of)
	if err != nil {
		return nil, promql.Origin{}, err
	}
	return got, got.Origin, nil
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
	c := results.New(p, results.Options{Config: promql.Config{Interval: minute, Retention: retention, Now: p.now}, MaxBytes: maxBytes, RecentWindow: recent})
	t.Cleanup(c.Close)
	return c
}

// last is a query of a span up to a time, on whole minutes.
func last(span time.Duration, to time.Time) rangeQuery {
	end := to.Truncate(minute)
	return rangeQuery{Expr: "up", Start: end.Add(-span), End: end, Step: minute}
}

// query runs a query with the cache and compares the result with that of the platform.
func query(t testing.TB, c *results.Cache, p *fakePlatform, q rangeQuery) promql.Origin {
	t.Helper()
	got, origin, err := ask(context.Background(), c, q)
	require.NoError(t, err)
	want := p.uncached(q)
	if origin.CachedSteps > 0 {
		require.Subset(t, got.Infos, want.Infos, "infos of a cached range hold for its parts")
		got.Infos = want.Infos
	}
	requireSameResult(t, want, got)
	return origin
}

func requireSameResult(t require.TestingT, want, got *promql.Result) {
	require.Equal(t, want.Type, got.Type)
	require.Equal(t, want.Infos, got.Infos)
	frames := got.Matrix.Frames(plain, nil)
	require.Len(t, frames, len(want.Matrix.Frames(plain, nil)))
	for i, frame := range want.Matrix.Frames(plain, nil) {
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

// plain names the values of a series.
func plain(*series.Series) (name string, display *string) { return "Value", nil }
