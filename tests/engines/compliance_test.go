//go:build engines

package engines

import (
	"fmt"
	"slices"
)

// complianceExpressions has each operator and function of PromQL with the kinds of operands that it takes: the kinds of the
// project's own compliance tests.
//
// Source: https://github.com/prometheus/compliance/tree/main/promql
func complianceExpressions() []string {
	all := []string{
		`42`, `1.234`, `.123`, `1.23e-3`, `0x3d`, `Inf`, `-Inf`, `NaN`, `-1 ^ 2`, `1 * 2 + 4 / 6 - 10 % 2 ^ 2`, `time()`, `vector(1.23)`, `vector(time())`,
		`gpu_util`, `{__name__="gpu_util"}`, `gpu_util{gpu="0"}`, `gpu_util{gpu!="0"}`, `gpu_util{instance=~"node-[01]:.*"}`, `gpu_util{instance!~".*-0:9400"}`,
		`gpu_util{gpu="0", instance!="node-1:9400"}`, `{gpu="0", instance!="node-1:9400"}`, `nothing_of_that_name`, `short_lived`, `restarted`,
		`avg(max by (gpu) (gpu_temp))`, `-gpu_temp`, `gpu_temp + -(1)`, `timestamp(gpu_util{instance="node-1:9400", gpu="0"})`, `timestamp(-gpu_util)`, `timestamp(gpu_util * 1)`, `timestamp(timestamp(gpu_util))`,
		`gpu_util / on (instance, gpu, __name__) gpu_util`, `sum without (gpu) (gpu_util) / on (instance) requests_total`, `gpu_util / on (instance) group_left requests_total`,
		`sum without (gpu) (gpu_util) / on (instance) group_right gpu_temp`, `gpu_util * on (instance) requests_total`,
		`gpu_util and gpu_temp > 50`, `gpu_util or short_lived`, `gpu_util unless gpu_temp > 50`, `requests_total * Inf`, `requests_total * -Inf`, `requests_total * NaN`,
		`clamp(gpu_util, 20, 60)`, `clamp(gpu_util, 60, 20)`, `clamp_min(gpu_util, 50)`, `clamp_max(gpu_util, 50)`, `round(gpu_temp, 5)`, `scalar(sum(gpu_util))`, `sort(gpu_util)`, `sort_desc(gpu_util)`,
		`label_replace(gpu_util, "node", "n$1", "instance", "node-(.*):.*")`, `label_replace(gpu_util, "node", "n$1", "instance", "node")`, `label_replace(gpu_util, "gpu", "", "instance", ".*")`,
		`label_replace(gpu_util, "gpu", "x$1", "missing", "(.*)")`, `label_replace(gpu_util, "gpu", "x", "instance", "(.*")`, `label_join(gpu_util, "both", "-", "instance", "gpu")`, `label_join(gpu_util, "gpu", "-", "instance")`,
		`histogram_quantile(0.9, latency_seconds_bucket)`, `histogram_quantile(0.9, nothing_of_that_name)`, `histogram_quantile(0.9, gpu_util)`, `count_values("value", latency_seconds_bucket{le="+Inf"})`,
		`absent(gpu_util)`, `absent(nothing_of_that_name{a="b"})`, `absent(short_lived{job="early"})`, `absent_over_time(short_lived{job="early"}[1h])`,
		`max_over_time((time() - max(gpu_util) < 1000)[5m:10s] offset 5m)`, `avg_over_time(rate(requests_total[2m])[10m:30s])`, `max_over_time(gpu_util[1d])`, `max_over_time(sum(gpu_util)[1d:1h])`,
	}
	// each has every element of the lists.
	each := func(format string, lists ...[]string) {
		longest := slices.MaxFunc(lists, func(a, b []string) int { return len(a) - len(b) })
		for i := range longest {
			var args []any
			for _, list := range lists {
				args = append(args, list[i%len(list)])
			}
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	ranges := []string{"1m", "5m", "1h", "6h"}
	offsets := []string{"1m", "5m", "1h", "1d"}
	quantiles := []string{"-0.5", "0.1", "0.5", "0.95", "1.5"}
	arithmetic := []string{"+", "-", "*", "/", "%", "^"}
	comparisons := []string{"==", "!=", "<", ">", "<=", ">="}
	operators := slices.Concat(arithmetic, comparisons)
	aggregations := []string{"sum", "avg", "max", "min", "count", "stddev", "stdvar", "group"}
	groupings := []string{"", "by ()", "by (instance)", "by (instance, gpu)", "by (nothing)", "without ()", "without (instance)", "without (instance, gpu)"}

	each(`%s %s (gpu_temp)`, aggregations, groupings)
	each(`%s (nothing_of_that_name)`, aggregations)
	each(`%s %s (2, gpu_temp)`, []string{"topk", "bottomk"}, groupings)
	each(`quantile(%s, gpu_temp)`, quantiles)
	each(`gpu_temp %s 50`, operators)
	each(`50 %s gpu_temp`, operators)
	each(`gpu_temp %s bool 50`, comparisons)
	each(`gpu_temp %s on (instance, gpu) gpu_util`, operators)
	each(`sum by (instance) (gpu_temp) %s on (instance) group_right () gpu_util`, operators)
	each(`time() %s gpu_temp`, operators)
	each(`time() %s 1`, arithmetic)
	each(`1 %s bool time()`, comparisons)
	each(`%s_over_time(gpu_temp[%s])`, []string{"sum", "avg", "max", "min", "count", "stddev", "stdvar", "last", "present"}, ranges)
	each(`quantile_over_time(%s, gpu_temp[%s])`, quantiles, ranges)
	each(`%s(gpu_temp - 50)`, []string{"abs", "ceil", "floor", "exp", "sqrt", "ln", "log2", "log10", "round", "sgn", "sin", "cos", "deg", "rad"})
	each(`%s(requests_total[%s])`, []string{"rate", "increase", "delta", "irate", "idelta", "resets", "changes", "deriv"}, ranges)
	each(`rate(requests_total[5m] offset %s)`, offsets)
	each(`gpu_util offset %s`, offsets)
	each(`gpu_util offset -%s`, offsets)
	each(`predict_linear(gpu_temp[%s], 600)`, ranges)
	each(`%s()`, []string{"minute", "hour", "day_of_week", "day_of_month", "days_in_month", "month", "year"})
	each(`%s(vector(time()) offset 1d)`, []string{"hour", "day_of_month"})
	each(`histogram_quantile(%s, sum by (le) (rate(latency_seconds_bucket[5m])))`, quantiles)
	each(`gpu_util @ %s`, []string{"start()", "end()", "1700000000"})
	return all
}
