package promql_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

func TestAnalyze_PerStep(t *testing.T) {
	for expr, want := range map[string]struct{ lookback, window time.Duration }{
		`up`:                          {5 * time.Minute, 5 * time.Minute},
		`42`:                          {},
		`vector(time())`:              {},
		`rate(up[10m])`:               {15 * time.Minute, 15 * time.Minute},
		`rate(up[10m] offset 1h)`:     {75 * time.Minute, 15 * time.Minute},
		`sum(up) / sum(up offset 1d)`: {24*time.Hour + 5*time.Minute, 5 * time.Minute},
		`max_over_time(rate(up[5m])[1h:2m] offset 3m)`:              {75 * time.Minute, 72 * time.Minute},
		`histogram_quantile(0.9, sum by (le) (rate(x_bucket[5m])))`: {10 * time.Minute, 10 * time.Minute},
		`{"a.b", "c.d"="e"}`: {5 * time.Minute, 5 * time.Minute},
		`absent(up)`:         {5 * time.Minute, 5 * time.Minute},
		`topk(3, up)`:        {5 * time.Minute, 5 * time.Minute},
	} {
		c := promql.New(expr).Needs
		require.Equal(t, promql.Needs{PromQL: true, PerStep: true, Lookback: want.lookback, Window: want.window}, c, expr)
	}
}

func TestAnalyze_NotPerStep(t *testing.T) {
	for _, expr := range []string{
		`up @ end()`, `up @ start()`, `up @ 1609746000`, `up offset -5m`, `rate(up[5m] @ end())`, `rate(up[5m] offset -1m)`,
		`max_over_time(up[1h:5m] @ end())`, `max_over_time(up[1h:5m] offset -1h)`, `sum(up) / scalar(sum(up @ start()))`,
		`max_over_time((up @ end())[1h:5m])`, `up[5m]`, `"text"`,
	} {
		c := promql.New(expr).Needs
		require.True(t, c.PromQL, expr)
		require.False(t, c.PerStep, expr)
	}
}

func TestAnalyze_NotPlainPromQL(t *testing.T) {
	for _, expr := range []string{
		// MetricsQL.
		`running_sum(up)`, `range_median(up)`, `now()`, `start()`, `end()`, `rand()`, `rate(up)`, `step()`, `up keep_metric_names`, `WITH (a = up) a`,
		`topk_avg(3, up)`, `up default 0`, `sum(up) limit 3`, `count_values_over_time("x", up[5m])`, `rate(up[5i])`, `interpolate(up)`,
		// Experimental features of Prometheus.
		`limitk(3, up)`, `limit_ratio(0.5, up)`, `info(up)`, `up[5m] anchored`, `rate(up[5m] smoothed)`, `rate(up[5m * 2])`, `rate(up[range()])`,
		`sort_by_label(up, "a")`, `mad_over_time(up[5m])`,
		// No expressions.
		`sum(`, ``, `rate(up[$__rate_interval])`,
	} {
		require.Equal(t, promql.Needs{}, promql.New(expr).Needs, expr)
	}
}
