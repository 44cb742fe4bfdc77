package promclient_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// TestSamplesLaterThanTheRecentWindow is about what the cache can't know: a step that was final when it was read stays as it
// was, and everything within the recent window is read again.
func TestSamplesLaterThanTheRecentWindow(t *testing.T) {
	clock := newClock()
	base := newPlatform(t, clock, platform.Config{Nodes: 2, GPUsPerNode: 2, Late: 40 * time.Minute})
	config := promclient.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now}
	uncached := promclient.New(config)
	config.Cache = cached
	narrow := promclient.New(config)
	config.Cache.RecentWindow = 45 * time.Minute
	wide := promclient.New(config)

	// A panel of two hours is refreshed every three minutes, for an hour.
	const span = 2 * time.Hour
	counts := func(c *promclient.Client) (map[int64]float64, rangecache.Origin) {
		q := saved{"expr": `sum(count_over_time(DCGM_FI_DEV_GPU_UTIL[1m])) or vector(0)`, "range": true, "interval": "60"}
		frames, err := c.QueryData(context.Background(), dataQuery(t, q, clock.now(), span), true)
		require.NoError(t, err)
		found := map[int64]float64{}
		for i := range frames[0].Rows() {
			found[frames[0].At(0, i).(time.Time).UnixMilli()] += frames[0].At(1, i).(float64)
		}
		return found, *frames[0].Meta.Custom.(promclient.Custom).Cache
	}
	behind := 0
	for range 20 {
		truth, _ := counts(uncached)
		got, _ := counts(wide)
		require.Equal(t, truth, got, "a window that is as wide as samples are late hides nothing")
		got, _ = counts(narrow)
		for at, count := range truth {
			require.LessOrEqual(t, got[at], count, "no sample is made up")
			if clock.now().UnixMilli()-at < cached.RecentWindow.Milliseconds() {
				require.Equal(t, count, got[at], "what is within the window is as the platform has it")
			}
			if got[at] < count {
				behind++
			}
		}
		clock.advance(3 * time.Minute)
	}
	require.Positive(t, behind, "the platform is not as late as the test needs it")
	// A cache that has read nothing before answers as the platform does.
	truth, _ := counts(uncached)
	fresh := promclient.New(promclient.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now, Cache: cached})
	got, origin := counts(fresh)
	require.Zero(t, origin.CachedSteps)
	require.Equal(t, truth, got)
}
