package results_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	day      = 24 * time.Hour
	halfHour = 30 * minute
)

var errRefused = &transport.Error{Kind: transport.ErrBadRequest, Status: http.StatusUnprocessableEntity, Message: "too many samples"}

// newSplitter is a cache of a platform that is slow if it takes so long.
func newSplitter(t testing.TB, p *fakePlatform, slowAfter time.Duration) *results.Cache {
	t.Helper()
	c := results.New(p, results.Options{Config: promql.Config{Interval: minute, Retention: retention, Now: p.now}, MaxBytes: 16 << 20, RecentWindow: recent, SlowAfter: slowAfter})
	t.Cleanup(c.Close)
	return c
}

const everyPlatformIsSlow = -1

// ofDays is a query of days up to noon, at half an hour.
func ofDays(days int, expr string) rangeQuery {
	return rangeQuery{Expr: expr, Start: noon.Add(-time.Duration(days) * day), End: noon, Step: halfHour}
}

// A fast platform gets one request. After a slow response, ranges are split for an hour.
func TestSplit_AfterASlowResponse(t *testing.T) {
	p := newPlatform(up)
	c := newSplitter(t, p, time.Second)
	query(t, c, p, ofDays(30, "fast"))
	require.Len(t, p.takeRequests(), 1)

	p.change = func(*response) { p.advance(2 * time.Second) } // a wait before the platform had it
	query(t, c, p, ofDays(30, "late"))
	p.takeRequests()
	p.change = func(r *response) { r.Took = 2 * time.Second }
	_, _, err := ask(context.Background(), c, ofDays(1, "of a part's length"))
	require.NoError(t, err)
	p.takeRequests()
	_, _, err = ask(context.Background(), c, ofDays(30, "slow"))
	require.NoError(t, err)
	require.Len(t, p.takeRequests(), 1)
	p.change = nil
	query(t, c, p, ofDays(30, "slow + 1"))
	requests := p.takeRequests()
	require.Len(t, requests, 31)
	require.Len(t, slices.DeleteFunc(requests, func(r string) bool { return strings.HasPrefix(r, "00:00-") }), 1, "all parts but the first start at midnight")
	p.advance(time.Hour)
	query(t, c, p, ofDays(30, "slow + 2"))
	require.Len(t, p.takeRequests(), 1)
}

func TestSplit_AfterARefusal(t *testing.T) {
	refusal := func(kind error, status int, took time.Duration, message string) error {
		return &transport.Error{Kind: kind, Status: status, Took: took, Message: message}
	}
	for name, test := range map[string]struct {
		err  error
		want int
	}{
		"Prometheus: samples":             {errRefused, 1 + 31},
		"VictoriaMetrics: samples":        {refusal(transport.ErrBadRequest, 422, 0, "cannot select more than -search.maxSamplesPerQuery=1000000 samples; possible solutions: reduce time range for the query"), 1 + 31},
		"VictoriaMetrics: memory":         {refusal(transport.ErrBadRequest, 422, 0, "not enough memory for processing 100 data points across 10 time series with 10 points in each time series"), 1 + 31},
		"Mimir: chunks":                   {refusal(transport.ErrBadRequest, 422, 0, "the query exceeded the maximum number of chunks (limit: 2000000 chunks) (err-mimir-max-chunks-per-query)"), 1 + 31},
		"Mimir: length":                   {refusal(transport.ErrBadRequest, 422, 0, "the query time range exceeds the limit (query length: 721h0m0s, limit: 720h0m0s)"), 1 + 31},
		"Thanos: chunks":                  {refusal(transport.ErrBadRequest, 422, 0, "exceeded chunks limit: rpc error: code = Code(422) desc = limit 10 violated (got 11)"), 1 + 31},
		"the engine's time":               {refusal(transport.ErrTimeout, 503, 0, "query timed out in expression evaluation"), 1 + 31},
		"the client's time":               {refusal(transport.ErrTimeout, 0, 2*time.Second, "did not respond in time"), 1 + 31},
		"the client's time, after a wait": {refusal(transport.ErrTimeout, 0, time.Second/2, "did not respond in time"), 1},
		"no permit":                       {refusal(transport.ErrConcurrency, 0, 0, "the limit of 4 concurrent requests to it was reached"), 1},
		"many-to-many":                    {refusal(transport.ErrBadRequest, 422, 0, "found duplicate series for the match group {a=\"b\"} on the right hand-side of the operation; many-to-many matching not allowed: matching labels must be unique on one side"), 1},
		"too many series at each time":    {refusal(transport.ErrBadRequest, 422, 0, "the query exceeded the maximum number of series (limit: 10 series)"), 1},
		"a mistake":                       {refusal(transport.ErrBadRequest, 400, 0, errRefused.Message), 1},
		"an outage":                       {errors.New("down"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(up)
			c := newSplitter(t, p, time.Second)
			refused := false
			p.fail = func(time.Time) error {
				if refused {
					return nil
				}
				refused = true
				return test.err
			}
			got, _, err := ask(context.Background(), c, ofDays(30, "up"))
			require.Len(t, p.takeRequests(), test.want)
			if test.want == 1 {
				require.ErrorIs(t, err, test.err)
				return
			}
			require.NoError(t, err)
			requireSameResult(t, p.uncached(ofDays(30, "up")), got)
		})
	}
}

func TestSplit_OnlyIfADayIsFourWindows(t *testing.T) {
	for expr, want := range map[string]int{
		"up": 31, "rate(up[5h])": 31, "rate(up[6h])": 1, "max_over_time(up[3d])": 1, "avg_over_time(rate(up[5m])[7d:1h])": 1,
		"up offset 7d": 31, "up - up @ start()": 1, "up offset -1h": 1, "up + end()": 1,
	} {
		t.Run(expr, func(t *testing.T) {
			p := newPlatform(up)
			query(t, newSplitter(t, p, everyPlatformIsSlow), p, ofDays(30, expr))
			require.Len(t, p.takeRequests(), want)
		})
	}
}

// Two steps, one on each side of midnight. Prometheus warns of sort in a range of two steps, and not in one of a single step.
func TestSplit_NotBelowADay(t *testing.T) {
	p := newPlatform(up)
	midnight := noon.Truncate(day)
	query(t, newSplitter(t, p, everyPlatformIsSlow), p, rangeQuery{Expr: "sort(up)", Start: midnight.Add(-halfHour), End: midnight, Step: halfHour})
	require.Len(t, p.takeRequests(), 1)
}

func TestSplit_NotWithoutTheCache(t *testing.T) {
	p := newPlatform(up)
	c := newSplitter(t, p, everyPlatformIsSlow)
	_, _, err := ask(results.NoCache(context.Background()), c, ofDays(30, "up"))
	require.NoError(t, err)
	require.Len(t, p.takeRequests(), 1)

	off := results.New(p, results.Options{Config: promql.Config{Interval: minute, Retention: retention, Now: p.now}, SlowAfter: everyPlatformIsSlow})
	t.Cleanup(off.Close)
	_, _, err = ask(context.Background(), off, ofDays(30, "up"))
	require.NoError(t, err)
	require.Len(t, p.takeRequests(), 1)
}

func TestSplit_YearsInPartsOfDays(t *testing.T) {
	p := newPlatform(up)
	c := results.New(p, results.Options{Config: promql.Config{Interval: minute, Retention: 20_000 * day, Now: p.now}, MaxBytes: 16 << 20, RecentWindow: recent, SlowAfter: everyPlatformIsSlow})
	t.Cleanup(c.Close)
	q := rangeQuery{Expr: "up", Start: noon.Truncate(day).Add(-1000 * day), End: noon.Truncate(day), Step: 3 * time.Hour}
	query(t, c, p, rangeQuery{Expr: "rate(up[10h])", Start: q.Start, End: q.End, Step: q.Step})
	require.Len(t, p.takeRequests(), 1, "a part of a month is more than four windows, but a day is not")
	query(t, c, p, q)
	require.InDelta(t, 32, len(p.takeRequests()), 2)
}

// Results are those of one request, whatever the step and the ends of a range.
func TestSplit_SameResult(t *testing.T) {
	p := newPlatform(
		up,
		between(data.Labels{"pod": "a"}, noon.Add(-20*day), noon.Add(-5*day)),
		between(data.Labels{"pod": "b"}, noon.Add(-3*day), noon.Add(-2*day)),
		fakeSeries{data.Labels{"pod": "c"}, func(at, _ time.Time) (float64, bool) { return 1, at.Unix()/3600%5 < 3 }},
		between(data.Labels{"pod": "d"}, noon.Add(-40*day), noon.Add(-29*day)),
	)
	rapid.Check(t, func(rt *rapid.T) {
		p.takeRequests()
		c := newSplitter(t, p, everyPlatformIsSlow)
		for i := range 3 {
			step := rapid.SampledFrom([]time.Duration{5 * minute, 7 * minute, halfHour, 5 * time.Hour, 7 * time.Hour, day, 31 * time.Hour, 3 * day}).Draw(rt, "step")
			start := noon.Add(-time.Duration(rapid.IntRange(60, 40*24*60).Draw(rt, "start")) * minute)
			end := start.Add(min(time.Duration(rapid.IntRange(1, 1000).Draw(rt, "steps")), noon.Sub(start)/step) * step)
			q := rangeQuery{Expr: fmt.Sprint("up", i%2), Start: start, End: end, Step: step}
			got, _, err := ask(context.Background(), c, q)
			require.NoError(rt, err)
			requireSameResult(rt, p.uncached(q), got)
		}
	})
}

// The warnings of all parts are shown, and nothing is cached then.
func TestSplit_Warnings(t *testing.T) {
	p := newPlatform(up)
	c := newSplitter(t, p, everyPlatformIsSlow)
	p.change = func(r *response) {
		r.Warnings, r.Infos = []string{"a shard is away"}, []string{notACounter("a")}
	}
	for range 2 {
		got, origin, err := ask(context.Background(), c, ofDays(30, "up"))
		require.NoError(t, err)
		require.Equal(t, []string{"a shard is away"}, got.Warnings)
		require.Equal(t, []string{notACounter("a")}, got.Infos)
		require.Equal(t, p.uncached(ofDays(30, "up")).Matrix.Frames(plain, nil)[0].Rows(), got.Matrix.Frames(plain, nil)[0].Rows())
		require.Zero(t, origin.CachedSteps)
		require.Len(t, p.takeRequests(), 31)
	}
}

// What can't be cached is put together of its parts all the same.
func TestSplit_UncachedParts(t *testing.T) {
	for name, change := range map[string]func(*response){
		"native histograms":         func(r *response) { r.Frames[0].Fields[1] = data.NewField("Value", nil, []string{"x"}) },
		"infos about each response": func(r *response) { r.Infos = []string{"2 more info annotations omitted"} },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(up)
			c := newSplitter(t, p, everyPlatformIsSlow)
			p.change = change
			got, _, err := ask(context.Background(), c, ofDays(30, "up"))
			require.NoError(t, err)
			want := p.respond(noon.Add(-30*day), noon, halfHour)
			change(want)
			require.Equal(t, want.decoded().Matrix.Frames(plain, nil), got.Matrix.Frames(plain, nil))
			require.Equal(t, want.Infos, got.Infos)
			require.Len(t, p.takeRequests(), 31)
		})
	}
}

func TestSplit_LimitOfAllParts(t *testing.T) {
	p := newPlatform(up)
	c := newSplitter(t, p, everyPlatformIsSlow)
	p.totals = map[*atomic.Int64]bool{}
	_, _, err := ask(context.Background(), c, ofDays(30, "up"))
	require.NoError(t, err)
	require.Len(t, p.totals, 1, "all parts are counted together")
	require.NotContains(t, p.totals, (*atomic.Int64)(nil))
}

func TestSplit_NotAnAlignedRange(t *testing.T) {
	p := newPlatform(up)
	p.aligns = true
	q := ofDays(30, "up")
	q.Start, q.End = q.Start.Add(minute), q.End.Add(minute)
	got, _, err := ask(context.Background(), newSplitter(t, p, everyPlatformIsSlow), q)
	require.NoError(t, err)
	requireSameResult(t, p.uncached(q), got)
	require.Len(t, p.takeRequests(), 1, "the engine would move each part")
}

// Each part has one series, and the whole result two.
func TestSplit_LimitOfSeries(t *testing.T) {
	p := newPlatform(between(data.Labels{"pod": "a"}, noon.Add(-20*day), noon.Add(-10*day)), between(data.Labels{"pod": "b"}, noon.Add(-10*day), noon))
	p.change = func(r *response) { r.Warnings = []string{"a shard is away"} } // so that the result is not stored
	c := results.New(p, results.Options{Config: promql.Config{Interval: minute, Retention: retention, Limits: promql.Limits{Series: 1}, Now: p.now}, MaxBytes: 16 << 20, RecentWindow: recent, SlowAfter: everyPlatformIsSlow})
	t.Cleanup(c.Close)
	_, _, err := ask(t.Context(), c, ofDays(5, "up"))
	require.NoError(t, err)
	_, _, err = ask(t.Context(), c, ofDays(30, "up"))
	require.ErrorContains(t, err, "more than 1 series")
}
