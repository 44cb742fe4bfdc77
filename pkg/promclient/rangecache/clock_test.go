package rangecache_test

import (
	"context"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

// arriving is a series whose samples are there when their time has come, by the clock of the platform.
func arriving(p *fakePlatform, ahead *time.Duration) fakeSeries {
	return fakeSeries{data.Labels{"__name__": "up"}, func(at, _ time.Time) (float64, bool) {
		return 1, !at.After(p.now().Add(-*ahead))
	}}
}

func TestAClockThatIsSetBack(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	ask(t, c, p, last(time.Hour, p.now()))
	p.takeAsked()
	p.advance(-30 * minute)
	ask(t, c, p, last(time.Hour, p.now()))
	require.Equal(t, []string{"10:30-10:59", "11:21-11:30"}, p.takeAsked(), "what is young by this clock is asked again")
	p.advance(-24 * time.Hour)
	ask(t, c, p, last(time.Hour, p.now()))
	p.advance(25 * time.Hour)
	ask(t, c, p, last(time.Hour, p.now()))
}

func TestAClockThatLeapsForward(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	ask(t, c, p, last(time.Hour, p.now()))
	p.advance(25 * minute)
	ask(t, c, p, last(time.Hour, p.now()))
	require.Equal(t, []string{"11:00-12:00", "11:51-12:25"}, p.takeAsked())
}

// Samples that the platform does not have yet must not be taken for missing for good.
func TestAClockThatIsAheadOfThePlatforms(t *testing.T) {
	ahead := 3 * time.Hour
	p := newPlatform()
	p.series = []fakeSeries{arriving(p, &ahead)}
	p.change = func(a *rangecache.Answer) { a.Served = a.Served.Add(-ahead) }
	c := newCache(t, p)
	for range 5 {
		ask(t, c, p, last(4*time.Hour, p.now()))
		p.advance(20 * minute)
	}
	// The clock is put right, and time goes on.
	p.advance(-ahead)
	ahead = 0
	for range 20 {
		ask(t, c, p, last(4*time.Hour, p.now()))
		p.advance(20 * minute)
	}
}

func TestAClockThatStandsStill(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	for range 3 {
		_, _, err := c.Range(context.Background(), last(time.Hour, p.now()), p.fetch(minute))
		require.NoError(t, err)
	}
	require.Len(t, p.takeAsked(), 1)
}
