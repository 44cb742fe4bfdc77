//go:build engines

package engines

import (
	"fmt"
	"testing"
	"time"

	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
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

// window is a range of a panel that ends some time before the last samples.
type window struct {
	name                        string
	span, step, utcOffset, back time.Duration
}

var windows = []window{
	{"40 minutes at 1 minute", 40 * time.Minute, time.Minute, 0, 0},
	{"7 hours at 7 minutes", 7 * time.Hour, 7 * time.Minute, 0, 0},
	{"8 hours at 1 hour, +05:30", 8 * time.Hour, time.Hour, 5*time.Hour + 30*time.Minute, 0},
}

// end is the end of ranges, at least some minutes before the last samples, whose results depend on the present.
func (w window) end() time.Time { return samples.to.Add(-max(w.back, 5*time.Minute)) }

func (w window) start() time.Time { return w.end().Add(-w.span) }

// aligned rounds a time down to a multiple of the step since midnight in the dashboard's time zone.
func (w window) aligned(at time.Time) time.Time {
	local := at.Add(w.utcOffset).Unix()
	step := int64(w.step.Seconds())
	return time.Unix(local-local%step, 0).Add(-w.utcOffset)
}

func (w window) query(expr string) saved {
	return saved{"expr": expr, "range": true, "interval": fmt.Sprintf("%ds", int(w.step.Seconds())), "utcOffsetSec": int(w.utcOffset.Seconds())}
}

// times are those of the request that the plugin sends for the range.
func (w window) times() promv1.Range {
	return promv1.Range{Start: w.aligned(w.start()), End: w.aligned(w.end()), Step: w.step}
}

// raw is the engine's own result.
func (w window) raw(t *testing.T, e *engine, expr string) model.Value {
	t.Helper()
	result, _, err := e.api(t).QueryRange(t.Context(), expr, w.times())
	require.NoError(t, err, expr)
	return result
}
