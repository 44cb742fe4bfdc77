package results_test

import (
	"context"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
)

// uncached are the results that were not cached, by the reason.
func uncached(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	counts := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "gpucloud_cache_uncached_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "reason" {
					counts[label.GetValue()] += m.GetCounter().GetValue()
				}
			}
		}
	}
	return counts
}

func TestUncached_Reasons(t *testing.T) {
	for reason, test := range map[string]struct {
		expr   string
		ctx    context.Context
		off    bool
		span   time.Duration
		change func(*response)
	}{
		"off":            {off: true},
		"requested":      {ctx: results.NoCache(t.Context())},
		"not_promql":     {expr: "running_sum(up)"},
		"other_samples":  {expr: "up @ end()"},
		"too_many_steps": {span: 11_001 * minute},
		"warning":        {change: func(r *response) { r.Warnings = []string{"a shard is away"} }},
		"one_range":      {change: func(r *response) { r.Infos = []string{"2 more info annotations omitted"} }},
		"no_matrix":      {change: func(r *response) { r.Frames[0].Fields[1] = data.NewField("Value", nil, []string{"x"}) }},
	} {
		t.Run(reason, func(t *testing.T) {
			p := newPlatform(up)
			p.change = test.change
			c := newCache(t, p)
			if test.off {
				c = newCacheWith(t, p, 0)
			}
			q := last(max(test.span, time.Hour), noon)
			if test.expr != "" {
				q.Expr = test.expr
			}
			ctx := test.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			before := uncached(t)
			_, _, err := ask(ctx, c, q)
			require.NoError(t, err)
			after := uncached(t)
			require.Equal(t, before[reason]+1, after[reason])
			delete(before, reason)
			delete(after, reason)
			require.Equal(t, before, after, "no other reason")
		})
	}
}
