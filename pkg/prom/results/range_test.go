package results_test

import (
	"context"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

var up = minutes(data.Labels{"__name__": "up"})

func TestRange_RefreshFetchesRecentWindow(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	require.Equal(t, promql.Origin{FetchedSteps: 61, AsOf: noon.UnixMilli()}, query(t, c, p, last(time.Hour, p.now())))
	p.advance(minute)
	origin := query(t, c, p, last(time.Hour, p.now()))
	require.Equal(t, []string{"11:00-12:00", "11:51-12:01"}, p.takeRequests())
	require.Equal(t, promql.Origin{FetchedSteps: 11, CachedSteps: 50, AsOf: p.now().UnixMilli()}, origin)
}

func TestRange_OneRequestPerInterval(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	for range 6 {
		query(t, c, p, last(time.Hour, p.now()))
		query(t, c, p, last(10*minute, p.now()))
		p.advance(9 * time.Second)
	}
	require.Equal(t, []string{"11:00-12:00"}, p.takeRequests())
	p.set(noon.Add(minute))
	query(t, c, p, last(time.Hour, noon)) // the same range, in another interval
	require.Equal(t, []string{"11:51-12:00"}, p.takeRequests())
}

func TestRange_LongerRangeFetchesItsStart(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	query(t, c, p, last(3*time.Hour, p.now()))
	require.Equal(t, []string{"09:00-10:59", "11:00-12:00", "11:51-12:00"}, p.takeRequests())
	p.advance(minute)
	for range 3 {
		query(t, c, p, last(3*time.Hour, p.now()))
		query(t, c, p, last(time.Hour, p.now()))
		p.advance(minute)
	}
	require.Equal(t, []string{"11:51-12:01", "11:52-12:02", "11:53-12:03"}, p.takeRequests(), "one request an interval for both")
}

func TestRange_PastIsFetchedOnce(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	q := last(time.Hour, noon.Add(-5*time.Hour))
	for range 3 {
		query(t, c, p, q)
		p.advance(time.Hour)
	}
	require.Equal(t, []string{"06:00-07:00"}, p.takeRequests())
}

func TestRange_PastKeepsPresentExtent(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	query(t, c, p, last(time.Hour, noon.Add(-9*time.Hour)))
	p.takeRequests()
	p.advance(minute)
	query(t, c, p, last(time.Hour, p.now()))
	query(t, c, p, last(time.Hour, noon.Add(-9*time.Hour)))
	require.Equal(t, []string{"11:51-12:01"}, p.takeRequests())
}

func TestRange_PresentReplacesOldExtent(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	p.advance(20 * time.Hour)
	query(t, c, p, last(time.Hour, p.now()))
	query(t, c, p, last(time.Hour, p.now().Add(-9*time.Hour)))
	p.takeRequests()
	p.advance(minute)
	query(t, c, p, last(time.Hour, p.now()))
	require.Equal(t, []string{"07:51-08:01"}, p.takeRequests())
}

func TestRange_EarlierEndKeepsLaterSteps(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	p.advance(minute)
	p.takeRequests()
	query(t, c, p, last(50*minute, noon.Add(-2*minute)))
	query(t, c, p, last(time.Hour, noon))
	require.Equal(t, []string{"11:51-12:00"}, p.takeRequests(), "one request an interval for both")
}

func TestRange_ClientClockBehind(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	for range 20 {
		p.advance(minute)
		query(t, c, p, last(time.Hour, p.now()))
	}
	p.takeRequests()
	query(t, c, p, last(time.Hour, p.now().Add(-recent)))
	require.Empty(t, p.takeRequests())
}

func TestRange_ScrollingBack(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	for to := noon; to.After(noon.Add(-6 * time.Hour)); to = to.Add(-30 * minute) {
		query(t, c, p, last(time.Hour, to))
	}
	requests := p.takeRequests()
	require.Equal(t, "05:30-05:59", requests[0])
	require.Len(t, requests, 12)
}

func TestRange_RefreshAfterHours(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, last(6*time.Hour, p.now()))
	p.advance(3 * time.Hour)
	query(t, c, p, last(6*time.Hour, p.now()))
	require.Equal(t, []string{"06:00-12:00", "11:51-15:00"}, p.takeRequests())
	p.advance(20 * time.Hour)
	query(t, c, p, last(6*time.Hour, p.now()))
	require.Equal(t, []string{"05:00-11:00"}, p.takeRequests(), "the extent is too far away the next day")
}

func TestRange_DifferentStepsNotMixed(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	for _, q := range []rangeQuery{
		{Expr: "up", Start: noon.Add(-time.Hour), End: noon, Step: minute},
		{Expr: "up", Start: noon.Add(-time.Hour), End: noon, Step: 2 * minute},
		{Expr: "up", Start: noon.Add(-59 * minute), End: noon.Add(-minute), Step: 2 * minute},
		{Expr: "up ", Start: noon.Add(-time.Hour), End: noon, Step: minute},
	} {
		require.Zero(t, query(t, c, p, q).CachedSteps)
	}
}

// retention is that of newCache.
const retention = 30 * 24 * time.Hour

// retained is a series whose value at a step is the number of minutes in a range before it for which the platform has samples.
func retained(rangeBefore time.Duration) fakeSeries {
	return fakeSeries{data.Labels{}, func(at, now time.Time) (float64, bool) {
		oldest := at.Add(-rangeBefore)
		if cutoff := now.Add(-retention); oldest.Before(cutoff) {
			oldest = cutoff
		}
		return at.Sub(oldest).Minutes(), !at.Before(oldest)
	}}
}

// lastOfRetention is an hourly query of all samples that the platform has.
func lastOfRetention(p *fakePlatform, expr string) rangeQuery {
	end := p.now().Truncate(time.Hour)
	return rangeQuery{Expr: expr, Start: end.Add(-retention), End: end, Step: time.Hour}
}

func TestRange_RetentionDeletesSamples(t *testing.T) {
	for expr, rangeBefore := range map[string]time.Duration{"up": 0, "count_over_time(up[12h])": 12 * time.Hour} {
		t.Run(expr, func(t *testing.T) {
			p := newPlatform(retained(rangeBefore))
			c := newCache(t, p)
			query(t, c, p, lastOfRetention(p, expr))
			for range 5 {
				p.advance(37 * minute)
				origin := query(t, c, p, lastOfRetention(p, expr))
				require.LessOrEqual(t, origin.FetchedSteps, 5+int(rangeBefore.Hours()), "of 721")
			}
		})
	}
}

func TestRange_NotCached(t *testing.T) {
	for name, change := range map[string]func(*response){
		"with a warning": func(a *response) { a.Warnings = []string{"partial"} },
		"with an info about this range": func(a *response) {
			a.Infos = []string{notACounter("a"), "PromQL info: input to histogram_quantile needed to be fixed for monotonicity, over 3 samples"}
		},
		"with omitted infos":       func(a *response) { a.Infos = []string{notACounter("a"), "2 more info annotations omitted"} },
		"with times between steps": func(a *response) { a.Frames[0].Fields[0].Set(0, noon.Add(-time.Hour+time.Second)) },
		"with series out of order": func(a *response) {
			a.Frames = append(a.Frames, a.Frames[0])
		},
		"not a matrix":              func(a *response) { a.Type = parser.ValueTypeScalar },
		"with values that are text": func(a *response) { a.Frames[0].Fields[1] = data.NewField("Value", nil, []string{"x"}) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(up)
			p.change = change
			c := newCache(t, p)
			want := p.respond(noon.Add(-time.Hour), noon, minute)
			change(want)
			for range 2 {
				got, origin, err := ask(context.Background(), c, last(time.Hour, noon))
				require.NoError(t, err)
				require.Equal(t, want.Warnings, got.Warnings)
				requireSameResult(t, want.decoded(), got)
				require.Zero(t, origin.CachedSteps)
			}
			require.Equal(t, []string{"11:00-12:00", "11:00-12:00"}, p.takeRequests())
		})
	}
}

func TestRange_ErrorNotCached(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	p.advance(minute)
	p.change = func(a *response) { a.Error = "overloaded" }
	_, _, err := ask(context.Background(), c, last(time.Hour, p.now()))
	require.ErrorContains(t, err, "overloaded")
	p.change = nil
	require.Equal(t, 11, query(t, c, p, last(time.Hour, p.now())).FetchedSteps, "the extent from before is still cached")
}

func TestRange_WarningFetchesWholeRange(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	p.advance(minute)
	p.takeRequests()
	p.change = func(a *response) { a.Warnings = []string{"a shard is away"} }
	got, _, err := ask(context.Background(), c, last(time.Hour, p.now()))
	require.NoError(t, err)
	require.Equal(t, []string{"a shard is away"}, got.Warnings)
	require.Equal(t, 61, got.Matrix.Frames(plain, nil)[0].Rows())
	require.Equal(t, []string{"11:01-12:01", "11:51-12:01"}, p.takeRequests())
}

func TestRange_TooManySteps(t *testing.T) {
	p := newPlatform()
	c := newCache(t, p)
	q := rangeQuery{Expr: "up", Start: noon.Add(-11001 * minute), End: noon, Step: minute}
	for range 2 {
		require.Zero(t, query(t, c, p, q).CachedSteps)
	}
}

func TestRange_CacheOff(t *testing.T) {
	p := newPlatform(up)
	c := newCacheWith(t, p, 0)
	for range 2 {
		require.Equal(t, 61, query(t, c, p, last(time.Hour, p.now())).FetchedSteps)
	}
	require.Len(t, p.takeRequests(), 2)
}

func TestRange_CallerOwnsFrames(t *testing.T) {
	p := newPlatform(up, minutes(data.Labels{"__name__": "up", "a": "b"}))
	c := newCache(t, p)
	for range 2 {
		got, _, err := ask(context.Background(), c, last(time.Hour, p.now()))
		require.NoError(t, err)
		for _, frame := range got.Matrix.Frames(plain, nil) {
			require.Nil(t, frame.Fields[0].Config)
			require.Equal(t, "Value", frame.Fields[1].Name)
			frame.Fields[0].Config = &data.FieldConfig{}
			frame.Fields[1].Name = "changed"
		}
	}
}
