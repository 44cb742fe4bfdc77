//go:build engines

package engines

import (
	"testing"
	"time"

	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

// What clients of the HTTP API get is what the engine sends, for all of PromQL, also when it is from the cache. Native histograms
// and strings are passed on as they are.
func TestAPI_Compliance(t *testing.T) {
	others := []string{`{__name__=~".+"}`, `"text"`, `gpu_util[5m]`}
	w := window{span: 6 * time.Hour, step: 15 * time.Minute}
	onEach(t, func(t *testing.T, e *engine) {
		ds := apiOf(t, newDatasource(t, e.address))
		for _, expr := range append(others, complianceExpressions()...) {
			for _, query := range []func(promv1.API) (model.Value, promv1.Warnings, error){
				func(a promv1.API) (model.Value, promv1.Warnings, error) {
					return a.QueryRange(t.Context(), expr, w.times())
				},
				func(a promv1.API) (model.Value, promv1.Warnings, error) {
					return a.Query(t.Context(), expr, w.times().End)
				},
			} {
				want, _, refusal := query(e.api(t))
				for range 2 {
					got, _, err := query(ds)
					if refusal != nil {
						require.Error(t, err, expr)
						continue
					}
					require.NoError(t, err, expr)
					require.Equal(t, want.Type(), got.Type(), expr)
					if want.Type() == model.ValString {
						require.Equal(t, want, got)
					}
					equal(t, e, floatsIn(want), floatsIn(got), "%s", expr)
					equal(t, e, bucketsIn(want), bucketsIn(got), "histograms of %s", expr)
				}
			}
		}
	})
}

// looks are in the order in which a panel requests them: refreshes, a longer range, a shorter one, one before, and back.
var looks = []window{
	{back: 2 * time.Hour, span: 30 * time.Minute}, {back: 119 * time.Minute, span: 30 * time.Minute}, {back: 100 * time.Minute, span: 30 * time.Minute},
	{back: 90 * time.Minute, span: 2 * time.Hour}, {back: 20 * time.Minute, span: 3 * time.Hour}, {back: 10 * time.Minute, span: 6 * time.Hour},
	{back: 9 * time.Minute, span: 6 * time.Hour}, {span: 45 * time.Minute}, {back: 4 * time.Hour, span: time.Hour}, {span: 7 * time.Hour},
}

// TestAPI_CachedRanges has in each range what the engine's own result has.
func TestAPI_CachedRanges(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		for _, grid := range []window{
			{step: 30 * time.Second}, {step: 7 * time.Minute},
			{step: 2 * time.Minute, utcOffset: 61 * time.Second}, // no time zone; off the grid at a short step, so that there are many points
		} {
			t.Run(grid.step.String(), func(t *testing.T) {
				ds := apiOf(t, newDatasource(t, e.address))
				for _, expr := range append(metricsQL(e), expressions...) {
					for _, w := range looks {
						w.step, w.utcOffset, w.span = grid.step, grid.utcOffset, min(w.span, 400*grid.step)
						want, _, err := e.api(t).QueryRange(t.Context(), expr, w.times())
						require.NoError(t, err, expr)
						got, _, err := ds.QueryRange(t.Context(), expr, w.times())
						require.NoError(t, err, expr)
						equal(t, e, floatsIn(want), floatsIn(got), "%s, %s before, for %s", expr, w.back, w.span)
					}
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

// expressions are supported by both engines, with differences. The tests compare the plugin's results with each engine's.
var expressions = []string{
	`gpu_util`,
	`gpu_util > 60`,
	`gpu_temp{instance="node-1:9400"}`,
	`{__name__=~"gpu_(util|temp)", gpu="0"}`,
	`sum by (instance) (gpu_util)`,
	`avg(gpu_temp)`,
	`topk(2, gpu_temp)`,
	`count_values("degrees", round(gpu_temp, 10))`,
	`quantile(0.9, gpu_util)`,
	`rate(requests_total[5m])`,
	`increase(requests_total[1h])`,
	`irate(requests_total[5m])`,
	`sum(rate(requests_total[5m])) by (instance)`,
	`max_over_time(gpu_util[10m])`,
	`max_over_time(gpu_util[10m:1m])`,
	`avg_over_time(gpu_util[30m] offset 10m)`,
	`resets(requests_total[3h])`,
	`changes(gpu_util[10m])`,
	`histogram_quantile(0.9, sum by (le) (rate(latency_seconds_bucket[5m])))`,
	`latency_seconds_bucket`,
	`room_temp`,
	`room_temp{room="Büro 😀"}`,
	`odd_values`,
	`short_lived`,
	`restarted`,
	`absent(nothing_of_that_name)`,
	`nothing_of_that_name`,
	`gpu_util - gpu_util offset 1h`,
	`label_replace(gpu_util, "node", "$1", "instance", "(.*):.*")`,
	`timestamp(gpu_util{instance="node-1:9400", gpu="0"})`,
	`vector(1)`,
	`time()`,
	`hour()`,
	`42`,
	`short_lived{job="early"} or restarted`,
	`gpu_util{gpu="0"} / ignoring (gpu) sum by (instance) (gpu_util)`,
}

// window is a range that ends some time before the last samples.
type window struct {
	name                        string
	span, step, utcOffset, back time.Duration
}

// aligned rounds a time down to a multiple of the step since midnight in the dashboard's time zone.
func (w window) aligned(at time.Time) time.Time {
	local := at.Add(w.utcOffset).Unix()
	step := int64(w.step.Seconds())
	return time.Unix(local-local%step, 0).Add(-w.utcOffset)
}

// times are those of the range, at least some minutes before the last samples, whose results depend on the present.
func (w window) times() promv1.Range {
	end := samples.to.Add(-max(w.back, 5*time.Minute))
	return promv1.Range{Start: w.aligned(end.Add(-w.span)), End: w.aligned(end), Step: w.step}
}
