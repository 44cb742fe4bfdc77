package results_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// refresh runs a query of the last hour every minute, and compares each result with that of the platform.
func refresh(t *testing.T, p *fakePlatform, forTime time.Duration) {
	t.Helper()
	c := newCache(t, p)
	cached := 0
	for end := p.now().Add(forTime); p.now().Before(end); p.advance(minute) {
		cached += query(t, c, p, last(time.Hour, p.now())).CachedSteps
	}
	require.Positive(t, cached)
}

func TestSeries_Appears(t *testing.T) {
	refresh(t, newPlatform(up, between(data.Labels{"__name__": "up", "pod": "new"}, noon.Add(5*minute), noon.Add(time.Hour))), 80*minute)
}

func TestSeries_Disappears(t *testing.T) {
	refresh(t, newPlatform(between(data.Labels{"__name__": "up", "pod": "old"}, noon.Add(-time.Hour), noon.Add(3*minute)), up), 80*minute)
}

func TestSeries_AllDisappearAndReturn(t *testing.T) {
	refresh(t, newPlatform(fakeSeries{data.Labels{"__name__": "up"}, func(at, _ time.Time) (float64, bool) { return 1, at.Hour() != 12 }}), 3*time.Hour)
}

func TestSeries_LabelsChange(t *testing.T) {
	change := noon.Add(7 * minute)
	refresh(t, newPlatform(
		between(data.Labels{"__name__": "up", "node": "a"}, noon.Add(-2*time.Hour), change),
		between(data.Labels{"__name__": "up", "node": "a", "pool": "b"}, change, noon.Add(9*time.Hour)),
		minutes(data.Labels{"__name__": "up", "node": "c"}),
	), 80*minute)
}

func TestSeries_Gaps(t *testing.T) {
	series := []fakeSeries{}
	for i := range 5 {
		series = append(series, fakeSeries{data.Labels{"n": fmt.Sprint(i)}, func(at, _ time.Time) (float64, bool) {
			return float64(at.Minute()), at.Minute()*7%(i+2) != 0
		}})
	}
	refresh(t, newPlatform(series...), 80*minute)
}

func TestSeries_LateSamples(t *testing.T) {
	refresh(t, newPlatform(fakeSeries{data.Labels{"late": "each"}, func(at, now time.Time) (float64, bool) {
		return float64(at.Minute()), !now.Before(at.Add(time.Duration(at.Minute()%11) * minute))
	}}), 80*minute)
}

func TestSeries_BackfilledSamples(t *testing.T) {
	refresh(t, newPlatform(up, fakeSeries{data.Labels{"late": "block"}, func(at, now time.Time) (float64, bool) {
		arrives := at
		if at.Minute()%30 >= 20 {
			arrives = at.Truncate(30 * minute).Add(30 * minute)
		}
		return float64(at.Minute()), !now.Before(arrives)
	}}), 2*time.Hour)
}

func TestSeries_AggregatesOfLateSamples(t *testing.T) {
	refresh(t, newPlatform(fakeSeries{data.Labels{}, func(at, now time.Time) (float64, bool) {
		return float64(min(8, int(now.Sub(at)/minute))), true
	}}), 80*minute)
}
