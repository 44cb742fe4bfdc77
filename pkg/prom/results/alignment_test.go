package results_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// betweenMultiples is a query up to a time whose steps lie halfway between the multiples of the step, as steps of an hour do
// in a time zone with half an hour in its offset.
func betweenMultiples(points int, to time.Time) rangeQuery {
	const step = 2 * minute
	end := to.Truncate(step).Add(-minute)
	return rangeQuery{Expr: "up", Start: end.Add(-time.Duration(points-1) * step), End: end, Step: step}
}

// VictoriaMetrics moves long ranges to multiples of the step. A result merged of responses to short ranges would have the
// requested steps instead.
func TestAlignment_EngineAligns(t *testing.T) {
	p := newPlatform(up)
	p.aligns = true
	c := newCache(t, p)
	before := uncached(t)["alignment"]
	defer func() { require.Greater(t, uncached(t)["alignment"], before) }()
	for range 3 {
		for _, points := range []int{30, 45, 49, 50, 70, 45} {
			query(t, c, p, betweenMultiples(points, p.now()))
		}
		p.takeRequests()
		query(t, c, p, betweenMultiples(45, p.now()))
		require.Empty(t, p.takeRequests(), "short ranges are cached")
		p.advance(10 * minute)
	}
}

func TestAlignment_EngineDoesNotAlign(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, betweenMultiples(45, p.now()))
	query(t, c, p, betweenMultiples(70, p.now()))
	p.takeRequests()
	p.advance(4 * minute)
	require.Positive(t, query(t, c, p, betweenMultiples(70, p.now())).CachedSteps, "long ranges are cached after one response without alignment")
	p.advance(4 * minute)
	require.Zero(t, query(t, c, p, betweenMultiples(70, p.now())).CachedSteps, "what was learned five minutes ago is learned again")
	p.advance(4 * minute)
	require.Positive(t, query(t, c, p, betweenMultiples(70, p.now())).CachedSteps)
}

// An engine that aligns may take the place of one that doesn't.
func TestAlignment_AnotherEngine(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	query(t, c, p, betweenMultiples(70, p.now()))
	p.aligns = true
	p.advance(6 * minute)
	other := betweenMultiples(70, p.now())
	other.Expr = "another"
	query(t, c, p, other)
	p.advance(200 * minute)
	query(t, c, p, betweenMultiples(70, p.now()))
}
