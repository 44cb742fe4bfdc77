//go:build engines

package engines

import (
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
)

// looks are in the order in which a panel requests them: refreshes, a longer range, a shorter one, one before, and back.
var looks = []window{
	{back: 2 * time.Hour, span: 30 * time.Minute}, {back: 119 * time.Minute, span: 30 * time.Minute}, {back: 100 * time.Minute, span: 30 * time.Minute},
	{back: 90 * time.Minute, span: 2 * time.Hour}, {back: 20 * time.Minute, span: 3 * time.Hour}, {back: 10 * time.Minute, span: 6 * time.Hour},
	{back: 9 * time.Minute, span: 6 * time.Hour}, {span: 45 * time.Minute}, {back: 4 * time.Hour, span: time.Hour}, {span: 7 * time.Hour},
}

// TestCache_SameRanges has in each range what the engine's own result has.
func TestCache_SameRanges(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		for _, grid := range []window{
			{step: 30 * time.Second}, {step: 7 * time.Minute},
			{step: 2 * time.Minute, utcOffset: 61 * time.Second}, // no time zone; off the grid at a short step, so that there are many points
		} {
			t.Run(grid.step.String(), func(t *testing.T) {
				ds := newDatasource(t, e.address, cached)
				fromCache := 0
				for _, expr := range append(metricsQL(e), expressions...) {
					for _, w := range looks {
						w.step, w.utcOffset = grid.step, grid.utcOffset
						got := frames(t, ds, w.query(expr), w.start(), w.end())
						equal(t, e, floatsIn(w.raw(t, e, expr)), floatsOf(t, got), "%s, %s before, for %s", expr, w.back, w.span)
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
