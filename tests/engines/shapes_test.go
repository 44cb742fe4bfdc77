//go:build engines

package engines

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHistograms_Native(t *testing.T) {
	e := running[0]
	require.Equal(t, prometheusName, e.name)
	for name, settings := range map[string]map[string]any{"uncached": uncached, "cached": cached} {
		t.Run(name, func(t *testing.T) {
			ds := newDatasource(t, e.address, settings)
			for _, w := range windows {
				for _, expr := range []string{
					`latency`, `rate(latency[5m])`, `sum(rate(latency[5m]))`, `latency{job="became native"}`, `{__name__=~"latency|gpu_util"}`,
					`histogram_quantile(0.9, rate(latency[5m]))`, `histogram_count(latency)`,
				} {
					a := w.raw(t, e, expr)
					for _, format := range []string{"time_series", "heatmap"} {
						q := w.query(expr)
						q["format"] = format
						got := frames(t, ds, q, w.start(), w.end())
						equal(t, e, bucketsIn(a), bucketsOf(t, got), "buckets of %s, %s", expr, w.name)
						equal(t, e, floatsIn(a), floatsOf(t, got), "samples of %s, %s", expr, w.name)
					}
				}
			}
			at := samples.to.Add(-7 * time.Minute)
			for _, expr := range []string{`latency`, `sum(rate(latency[5m]))`} {
				a, _, err := e.api(t).Query(t.Context(), expr, at)
				require.NoError(t, err)
				require.NotEmpty(t, bucketsIn(a))
				equal(t, e, bucketsIn(a), bucketsOf(t, frames(t, ds, saved{"expr": expr, "instant": true}, at.Add(-time.Hour), at)), "%s", expr)
			}
		})
	}
}
