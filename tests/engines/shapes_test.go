//go:build engines

package engines

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

func TestHistograms_ClassicHeatmap(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, uncached)
		for _, w := range windows[:3] {
			for _, expr := range []string{`sum by (le) (rate(latency_seconds_bucket[20m]))`, `sum by (le, instance) (increase(latency_seconds_bucket[20m]))`} {
				q := w.query(expr)
				q["format"] = "heatmap"
				equal(t, e, heatmapOf(t, w.raw(t, e, expr)), heatmapRows(frames(t, ds, q, w.start(), w.end())), "%s, %s", w.name, expr)
			}
		}
	})
}

// heatmapOf has the count of each bucket alone, by the engine's response.
func heatmapOf(t *testing.T, a engineResponse) points {
	t.Helper()
	type bucket struct {
		bound float64
		le    string
		count map[int64]float64
	}
	histograms := map[string][]bucket{}
	for _, s := range a.series(t) {
		bound, err := strconv.ParseFloat(s.Metric["le"], 64)
		require.NoError(t, err)
		b := bucket{bound, s.Metric["le"], map[int64]float64{}}
		for _, v := range s.Values {
			b.count[milliseconds(t, v[0])] = float(t, v[1])
		}
		delete(s.Metric, "le")
		key := s.Metric["instance"]
		histograms[key] = append(histograms[key], b)
	}
	all := points{}
	for name, buckets := range histograms {
		slices.SortFunc(buckets, func(a, b bucket) int { return int(math.Copysign(1, a.bound-b.bound)) })
		for _, at := range slices.Sorted(maps.Keys(buckets[0].count)) {
			below := 0.0
			for _, b := range buckets {
				all.add(name+" le "+b.le, at, math.Max(0, b.count[at]-below))
				below = b.count[at]
			}
		}
	}
	return all
}

func heatmapRows(all data.Frames) points {
	found := points{}
	for _, frame := range all {
		if frame.Meta.Type != "heatmap-rows" {
			continue
		}
		quoted := strings.TrimPrefix(strings.TrimSuffix(frame.Name, "}"), "{instance=")
		instance, _ := strconv.Unquote(quoted) // empty if the series has no instance
		for _, field := range frame.Fields[1:] {
			for row := range field.Len() {
				if count := field.At(row).(*float64); count != nil {
					found.add(instance+" le "+field.Name, frame.Fields[0].At(row).(time.Time).UnixMilli(), *count)
				}
			}
		}
	}
	return found
}

func TestMacros(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, uncached)
		w := window{"6 hours at 5 minutes", 6 * time.Hour, 5 * time.Minute, 0}
		for expr, meant := range map[string]string{
			`rate(requests_total[$__rate_interval])`:                  `rate(requests_total[20m])`,
			`avg_over_time(gpu_util[$__interval])`:                    `avg_over_time(gpu_util[5m])`,
			`avg_over_time(gpu_util[${__interval}]) / $__interval_ms`: `avg_over_time(gpu_util[5m]) / 300000`,
			`max_over_time(gpu_util[$__range])`:                       `max_over_time(gpu_util[6h])`,
			`max_over_time(gpu_util[${__range_s}s]) + $__range_ms`:    `max_over_time(gpu_util[6h]) + 21600000`,
		} {
			equal(t, e, w.raw(t, e, meant).floats(t), floatsOf(t, frames(t, ds, w.query(expr), w.start(), w.end()), data.FrameTypeTimeSeriesMulti), "%s", expr)
		}
	})
}

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
						equal(t, e, a.buckets(t), bucketsOf(t, got), "buckets of %s, %s", expr, w.name)
						equal(t, e, a.floats(t), floatsOf(t, got, data.FrameTypeTimeSeriesMulti), "samples of %s, %s", expr, w.name)
					}
				}
			}
			at := samples.to.Add(-7 * time.Minute)
			for _, expr := range []string{`latency`, `sum(rate(latency[5m]))`} {
				a := e.query(t, "api/v1/query", instantParams(expr, at))
				require.NotEmpty(t, a.buckets(t))
				equal(t, e, a.buckets(t), bucketsOf(t, frames(t, ds, saved{"expr": expr, "instant": true}, at.Add(-time.Hour), at)), "%s", expr)
			}
		})
	}
}
