package rangecache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

// offGrid is a query for the time before to whose steps are half a step off the multiples of it, as those of an hour are in
// a time zone of half hours.
func offGrid(points int, to time.Time) rangecache.RangeQuery {
	const step = 2 * minute
	end := to.Truncate(step).Add(-minute)
	return rangecache.RangeQuery{Expr: "up", Start: end.Add(-time.Duration(points-1) * step), End: end, Step: step}
}

// VictoriaMetrics answers for other steps than it was asked for, if they are many and no multiples of the step. What was put
// together from answers of few steps would be on the steps that were asked for.
func TestAnEngineThatMovesLongRanges(t *testing.T) {
	p := newPlatform(up)
	p.moves = true
	c := newCache(t, p)
	for range 3 {
		for _, points := range []int{30, 45, 49, 50, 70, 45} {
			ask(t, c, p, offGrid(points, p.now()))
		}
		p.takeAsked()
		ask(t, c, p, offGrid(45, p.now()))
		require.Empty(t, p.takeAsked(), "short ranges are kept")
		p.advance(10 * minute)
	}
}

func TestAnEngineThatKeepsToTheStepsItIsAskedFor(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	ask(t, c, p, offGrid(45, p.now()))
	ask(t, c, p, offGrid(70, p.now()))
	p.takeAsked()
	p.advance(10 * minute)
	require.Positive(t, ask(t, c, p, offGrid(70, p.now())).CachedSteps, "long ranges are kept once one was seen to be right")
}
