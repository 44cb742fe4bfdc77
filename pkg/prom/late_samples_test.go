package prom_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// A step that was final when it was fetched keeps its value, even if samples arrive later. Steps within the recent window are
// fetched again.
func TestLateSamples_BeyondRecentWindow(t *testing.T) {
	clock := newClock()
	base := newPlatform(t, clock, platform.Config{Nodes: 2, GPUsPerNode: 2, Late: 40 * time.Minute})
	config := prom.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now}
	uncached := prom.New(config)
	config.Cache = cached
	narrow := prom.New(config)
	config.Cache.RecentWindow = 45 * time.Minute
	wide := prom.New(config)

	// A panel of two hours refreshes every three minutes, for an hour.
	const span = 2 * time.Hour
	counts := func(c *prom.Client) (map[int64]float64, promql.Origin) {
		q := saved{"expr": `sum(count_over_time(DCGM_FI_DEV_GPU_UTIL[1m])) or vector(0)`, "range": true, "interval": "60"}
		frames, err := c.QueryData(context.Background(), dataQuery(t, q, clock.now(), span), true)
		require.NoError(t, err)
		found := map[int64]float64{}
		for i := range frames[0].Rows() {
			found[frames[0].At(0, i).(time.Time).UnixMilli()] += frames[0].At(1, i).(float64)
		}
		return found, *frames[0].Meta.Custom.(prom.Custom).Cache
	}
	missed := 0
	for range 20 {
		want, _ := counts(uncached)
		got, _ := counts(wide)
		require.Equal(t, want, got, "a recent window of the delay of samples misses none")
		got, _ = counts(narrow)
		for at, count := range want {
			require.LessOrEqual(t, got[at], count, "the cache adds no samples")
			if clock.now().UnixMilli()-at < cached.RecentWindow.Milliseconds() {
				require.Equal(t, count, got[at], "steps within the recent window are up to date")
			}
			if got[at] < count {
				missed++
			}
		}
		clock.advance(3 * time.Minute)
	}
	require.Positive(t, missed, "the test needs samples later than the recent window")
	// An empty cache returns the result of the platform.
	want, _ := counts(uncached)
	fresh := prom.New(prom.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now, Cache: cached})
	got, origin := counts(fresh)
	require.Zero(t, origin.CachedSteps)
	require.Equal(t, want, got)
}
