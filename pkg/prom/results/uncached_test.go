package results_test

import (
	"context"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
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
		bytes  int
		span   time.Duration
		change func(*response)
	}{
		"off":            {off: true},
		"requested":      {ctx: results.NoCache(t.Context())},
		"not_promql":     {expr: "running_sum(up)"},
		"other_samples":  {expr: "up @ end()"},
		"too_many_steps": {span: 11_001 * minute},
		"too_large":      {bytes: 1000},
		"warning":        {change: func(r *response) { r.Warnings = []string{"a shard is away"} }},
		"one_range":      {change: func(r *response) { r.Infos = []string{"2 more info annotations omitted"} }},
		"no_matrix":      {change: func(r *response) { r.Frames[0].Fields[1] = data.NewField("Value", nil, []string{"x"}) }},
	} {
		t.Run(reason, func(t *testing.T) {
			p := newPlatform(up)
			p.change = test.change
			c := newCache(t, p)
			if test.off || test.bytes > 0 {
				c = newCacheWith(t, p, test.bytes)
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

func TestUncached_Warnings(t *testing.T) {
	for name, ask := range map[string]func(*results.Cache) error{
		"of an instant query": func(c *results.Cache) error {
			_, err := c.Evaluate(t.Context(), promql.New("up").At(noon))
			return err
		},
		"of a list": func(c *results.Cache) error {
			_, err := c.List(t.Context(), promql.ListQuery{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(up)
			p.instant = func() (*response, error) {
				r := p.respond(noon, noon, minute)
				r.Type, r.Warnings = parser.ValueTypeVector, []string{"a shard is away"}
				return r, nil
			}
			p.list = func() *promql.List { return &promql.List{Warnings: []string{"a shard is away"}} }
			before := uncached(t)
			require.NoError(t, ask(newCache(t, p)))
			require.Equal(t, before["warning"]+1, uncached(t)["warning"])
		})
	}
}
