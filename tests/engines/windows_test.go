//go:build engines

package engines

import (
	"time"

	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
)

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
	`timestamp(gpu_util)`,
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
