package results_test

import (
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

func TestSeries_LabelsChange(t *testing.T) {
	change := noon.Add(7 * minute)
	refresh(t, newPlatform(
		between(data.Labels{"__name__": "up", "node": "a"}, noon.Add(-2*time.Hour), change),
		between(data.Labels{"__name__": "up", "node": "a", "pool": "b"}, change, noon.Add(9*time.Hour)),
		minutes(data.Labels{"__name__": "up", "node": "c"}),
	), 80*minute)
}
