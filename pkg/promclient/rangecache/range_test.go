package rangecache_test

import (
	"context"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

var up = minutes(data.Labels{"__name__": "up"})

func TestARefreshAsksForTheRecentWindowAndWhatIsNew(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	require.Equal(t, rangecache.Origin{AskedSteps: 61, AsOf: noon.UnixMilli()}, ask(t, c, p, last(time.Hour, p.now())))
	p.advance(minute)
	origin := ask(t, c, p, last(time.Hour, p.now()))
	require.Equal(t, []string{"11:00-12:00", "11:51-12:01"}, p.takeAsked())
	require.Equal(t, rangecache.Origin{AskedSteps: 11, CachedSteps: 50, AsOf: p.now().UnixMilli()}, origin)
}

func TestNothingIsAskedTwiceInAnInterval(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	for range 6 {
		ask(t, c, p, last(time.Hour, p.now()))
		ask(t, c, p, last(10*minute, p.now()))
		p.advance(9 * time.Second)
	}
	require.Equal(t, []string{"11:00-12:00"}, p.takeAsked())
	p.set(noon.Add(minute))
	ask(t, c, p, last(time.Hour, noon)) // the same range, in another interval
	require.Equal(t, []string{"11:51-12:00"}, p.takeAsked())
}

func TestAViewerWithALongerRangeAsksForItsBeginning(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	ask(t, c, p, last(time.Hour, p.now()))
	ask(t, c, p, last(3*time.Hour, p.now()))
	require.Equal(t, []string{"09:00-10:59", "11:00-12:00", "11:51-12:00"}, p.takeAsked())
	p.advance(minute)
	for range 3 {
		ask(t, c, p, last(3*time.Hour, p.now()))
		ask(t, c, p, last(time.Hour, p.now()))
		p.advance(minute)
	}
	require.Equal(t, []string{"11:51-12:01", "11:52-12:02", "11:53-12:03"}, p.takeAsked(), "one question an interval for both")
}

func TestARangeThatEndedLongAgoIsAskedOnce(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	q := last(time.Hour, noon.Add(-5*time.Hour))
	for range 3 {
		ask(t, c, p, q)
		p.advance(time.Hour)
	}
	require.Equal(t, []string{"06:00-07:00"}, p.takeAsked())
}

func TestALookElsewhereLeavesThePresentAlone(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	ask(t, c, p, last(time.Hour, p.now()))
	ask(t, c, p, last(time.Hour, noon.Add(-9*time.Hour)))
	p.takeAsked()
	p.advance(minute)
	ask(t, c, p, last(time.Hour, p.now()))
	ask(t, c, p, last(time.Hour, noon.Add(-9*time.Hour)))
	require.Equal(t, []string{"11:51-12:01"}, p.takeAsked())
}

func TestScrollingBackAsksForNoStepTwice(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	for to := noon; to.After(noon.Add(-6 * time.Hour)); to = to.Add(-30 * minute) {
		ask(t, c, p, last(time.Hour, to))
	}
	asked := p.takeAsked()
	require.Equal(t, "05:30-05:59", asked[0])
	require.Len(t, asked, 12)
}

func TestOneWhoComesBackAfterHoursGetsWhatIsMissing(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	ask(t, c, p, last(6*time.Hour, p.now()))
	p.advance(3 * time.Hour)
	ask(t, c, p, last(6*time.Hour, p.now()))
	require.Equal(t, []string{"06:00-12:00", "11:51-15:00"}, p.takeAsked())
	p.advance(20 * time.Hour)
	ask(t, c, p, last(6*time.Hour, p.now()))
	require.Equal(t, []string{"05:00-11:00"}, p.takeAsked(), "the next day")
}

func TestStepsThatAreNotTheSameAreNotMixed(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	for _, q := range []rangecache.RangeQuery{
		{Expr: "up", Start: noon.Add(-time.Hour), End: noon, Step: minute},
		{Expr: "up", Start: noon.Add(-time.Hour), End: noon, Step: 2 * minute},
		{Expr: "up", Start: noon.Add(-59 * minute), End: noon.Add(-minute), Step: 2 * minute},
		{Expr: "up ", Start: noon.Add(-time.Hour), End: noon, Step: minute},
	} {
		require.Zero(t, ask(t, c, p, q).CachedSteps)
	}
}

func TestWhatFadesAwayIsAskedAgain(t *testing.T) {
	kept := 30 * 24 * time.Hour
	p := newPlatform(fakeSeries{data.Labels{}, func(at, now time.Time) (float64, bool) { return 1, at.After(now.Add(-kept)) }})
	c := newCache(t, p)
	q := func() rangecache.RangeQuery {
		end := p.now().Truncate(time.Hour)
		return rangecache.RangeQuery{Expr: "up", Start: end.Add(-kept), End: end, Step: time.Hour}
	}
	ask(t, c, p, q())
	for range 5 {
		p.advance(37 * minute)
		origin := ask(t, c, p, q())
		require.LessOrEqual(t, origin.AskedSteps, 5, "of 721")
	}
}

func TestAnswersThatAreNotKept(t *testing.T) {
	for name, change := range map[string]func(*rangecache.Answer){
		"with a warning": func(a *rangecache.Answer) { a.Warnings = []string{"partial"} },
		"with a remark on this range": func(a *rangecache.Answer) {
			a.Infos = []string{notACounter("a"), "PromQL info: input to histogram_quantile needed to be fixed for monotonicity, over 3 samples"}
		},
		"with more remarks than it lists": func(a *rangecache.Answer) { a.Infos = []string{notACounter("a"), "2 more info annotations omitted"} },
		"whose times are elsewhere":       func(a *rangecache.Answer) { a.Frames[0].Fields[0].Set(0, noon.Add(-time.Hour+time.Second)) },
		"whose order is another": func(a *rangecache.Answer) {
			a.Frames = append(a.Frames, a.Frames[0])
		},
		"which are no matrix":             func(a *rangecache.Answer) { a.Type = promjson.Scalar },
		"whose labels would be ambiguous": func(a *rangecache.Answer) { a.Frames[0].Fields[1].Labels = data.Labels{"a": "b\x00"} },
		"which are text":                  func(a *rangecache.Answer) { a.Frames[0].Fields[1] = data.NewField("Value", nil, []string{"x"}) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(up)
			p.change = change
			c := newCache(t, p)
			want := p.answer(noon.Add(-time.Hour), noon, minute)
			change(want)
			for range 2 {
				got, origin, err := c.Range(context.Background(), last(time.Hour, noon), p.fetch(minute))
				require.NoError(t, err)
				require.Equal(t, want.Warnings, got.Warnings)
				sameResult(t, want.Result, got)
				require.Zero(t, origin.CachedSteps)
			}
			require.Equal(t, []string{"11:00-12:00", "11:00-12:00"}, p.takeAsked())
		})
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	ask(t, c, p, last(time.Hour, p.now()))
	p.advance(minute)
	p.change = func(a *rangecache.Answer) { a.Error = "overloaded" }
	_, _, err := c.Range(context.Background(), last(time.Hour, p.now()), p.fetch(minute))
	require.ErrorContains(t, err, "overloaded")
	p.change = nil
	require.Equal(t, 11, ask(t, c, p, last(time.Hour, p.now())).AskedSteps, "and what was there before is")
}

func TestARemarkOnTheTailBringsTheWholeAnswer(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	ask(t, c, p, last(time.Hour, p.now()))
	p.advance(minute)
	p.takeAsked()
	p.change = func(a *rangecache.Answer) { a.Warnings = []string{"a shard is away"} }
	got, _, err := c.Range(context.Background(), last(time.Hour, p.now()), p.fetch(minute))
	require.NoError(t, err)
	require.Equal(t, []string{"a shard is away"}, got.Warnings)
	require.Equal(t, 61, got.Frames[0].Rows())
	require.Equal(t, []string{"11:01-12:01", "11:51-12:01"}, p.takeAsked())
}

func TestTooManyStepsAreForThePlatformToRefuse(t *testing.T) {
	p := newPlatform()
	c := newCache(t, p)
	q := rangecache.RangeQuery{Expr: "up", Start: noon.Add(-11001 * minute), End: noon, Step: minute}
	for range 2 {
		require.Zero(t, ask(t, c, p, q).CachedSteps)
	}
}

func TestACacheThatIsOffAsksEveryTime(t *testing.T) {
	p := newPlatform(up)
	c := newCacheWith(t, p, 0)
	for range 2 {
		require.Equal(t, 61, ask(t, c, p, last(time.Hour, p.now())).AskedSteps)
	}
	require.Len(t, p.takeAsked(), 2)
}

func TestAnswersBelongToThoseWhoAsk(t *testing.T) {
	p := newPlatform(up, minutes(data.Labels{"__name__": "up", "a": "b"}))
	c := newCache(t, p)
	for range 2 {
		got, _, err := c.Range(context.Background(), last(time.Hour, p.now()), p.fetch(minute))
		require.NoError(t, err)
		for _, frame := range got.Frames {
			require.Nil(t, frame.Fields[0].Config)
			require.Equal(t, "Value", frame.Fields[1].Name)
			frame.Fields[0].Config = &data.FieldConfig{}
			frame.Fields[1].Name = "mine"
		}
	}
}
