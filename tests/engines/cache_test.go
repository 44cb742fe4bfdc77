//go:build engines

package engines

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
)

// look is a range of a panel: the time from its end to the last samples, and its length.
type look struct{ back, span time.Duration }

// looks are in the order in which a panel requests them: refreshes, a longer range, a shorter one, one before, and back.
var looks = []look{
	{2 * time.Hour, 30 * time.Minute}, {119 * time.Minute, 30 * time.Minute}, {100 * time.Minute, 30 * time.Minute}, {90 * time.Minute, 2 * time.Hour},
	{20 * time.Minute, 3 * time.Hour}, {10 * time.Minute, 6 * time.Hour}, {9 * time.Minute, 6 * time.Hour}, {5 * time.Minute, 45 * time.Minute},
	{4 * time.Hour, time.Hour}, {5 * time.Minute, 7 * time.Hour},
}

func TestCache_SameRanges(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		reference := newDatasource(t, e.address, uncached)
		for _, grid := range []window{
			{step: 30 * time.Second}, {step: 7 * time.Minute},
			{step: 2 * time.Minute, utcOffset: 61 * time.Second}, // no time zone; off the grid at a short step, so that there are many points
		} {
			t.Run(grid.step.String(), func(t *testing.T) {
				ds := newDatasource(t, e.address, cached)
				fromCache := 0
				for _, expr := range append(metricsQL(e), expressions...) {
					for _, l := range looks {
						to := samples.to.Add(-l.back)
						q := grid.query(expr)
						want := floatsOf(t, frames(t, reference, q, to.Add(-l.span), to), data.FrameTypeTimeSeriesMulti)
						got := frames(t, ds, q, to.Add(-l.span), to)
						equal(t, e, want, floatsOf(t, got, data.FrameTypeTimeSeriesMulti), "%s, %s before, for %s", expr, l.back, l.span)
						fromCache += got[0].Meta.Custom.(prom.Custom).Cache.CachedSteps
					}
				}
				if fromCache == 0 {
					t.Error("no step came from the cache")
				}
			})
		}
	})
}

// metricsQL has expressions of VictoriaMetrics' superset of PromQL, which the plugin can't parse.
func metricsQL(e *engine) []string {
	if e.name != victoriaName {
		return nil
	}
	return []string{
		`running_sum(gpu_util)`, `range_median(gpu_util)`, `rate(requests_total)`, `WITH (a = gpu_util) a * 2`, `median_over_time(gpu_util[10m])`,
		`rate(requests_total[5m]) keep_metric_names`, `nothing_of_that_name default 2`,
		`max_over_time(gpu_util[1i])`, `sum(gpu_util) limit 1`, `start()`, `end()`, `step()`, `union(gpu_util, gpu_temp)`,
	}
}
