package results_test

import (
	"context"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// arriving is a series whose samples arrive at their time by the clock of the platform, which is behind by *ahead.
func arriving(p *fakePlatform, ahead *time.Duration) fakeSeries {
	return fakeSeries{data.Labels{"__name__": "up"}, func(at, _ time.Time) (float64, bool) {
		return 1, !at.After(p.now().Add(-*ahead))
	}}
}

func TestClock_SetBack(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	p.takeRequests()
	p.advance(-30 * minute)
	query(t, c, p, last(time.Hour, p.now()))
	require.Equal(t, []string{"10:30-10:59", "11:21-11:30"}, p.takeRequests(), "steps that are recent by this clock are fetched again")
	p.advance(-24 * time.Hour)
	query(t, c, p, last(time.Hour, p.now()))
	p.advance(25 * time.Hour)
	query(t, c, p, last(time.Hour, p.now()))
}

// Samples that were deleted by the clock before exist again.
func TestClock_SetBackAtRetention(t *testing.T) {
	const expr = "count_over_time(up[12h])"
	p := newPlatform(retained(12 * time.Hour))
	c := newCache(t, p)
	query(t, c, p, lastOfRetention(p, expr))
	p.advance(-3 * time.Hour)
	require.NotZero(t, query(t, c, p, lastOfRetention(p, expr)).CachedSteps)
}

func TestClock_LeapsForward(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	p.advance(25 * minute)
	query(t, c, p, last(time.Hour, p.now()))
	require.Equal(t, []string{"11:00-12:00", "11:51-12:25"}, p.takeRequests())
}

// Steps for which the platform has no samples yet are not final.
func TestClock_AheadOfPlatform(t *testing.T) {
	ahead := 3 * time.Hour
	p := newPlatform()
	p.series = []fakeSeries{arriving(p, &ahead)}
	p.change = func(a *response) { a.Date = a.Date.Add(-ahead) }
	c := newCache(t, p)
	for range 5 {
		query(t, c, p, last(4*time.Hour, p.now()))
		p.advance(20 * minute)
	}
	// The clock is corrected, and time continues.
	p.advance(-ahead)
	ahead = 0
	for range 20 {
		query(t, c, p, last(4*time.Hour, p.now()))
		p.advance(20 * minute)
	}
}

func TestClock_StandsStill(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	for range 3 {
		_, _, err := ask(context.Background(), c, last(time.Hour, p.now()))
		require.NoError(t, err)
	}
	require.Len(t, p.takeRequests(), 1)
}
