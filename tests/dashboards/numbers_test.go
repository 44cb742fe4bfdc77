package dashboards_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// The usual time ranges.
var ranges = map[string]time.Duration{"24 hours": 24 * time.Hour, "7 days": 7 * 24 * time.Hour, "30 days": 30*24*time.Hour - time.Hour}

// samples returns the collected samples of one series.
func (g grafana) samples(t *testing.T, selector string, span time.Duration) []point {
	t.Helper()
	query := map[string]any{"refId": "A", "expr": selector, "range": true, "interval": "1m"}
	var list []point
	for from := span; from > 0; from -= 24 * time.Hour {
		day := g
		day.now = g.now.Add(-from + min(from, 24*time.Hour))
		list = append(list, points(t, day.runQueries(t, []map[string]any{query}, min(from, 24*time.Hour), time.Minute, 2000)["A"])...)
	}
	// A day begins with the last point of the day before.
	return slices.CompactFunc(list, func(a, b point) bool { return a.at.Equal(b.at) })
}

type point struct {
	at    time.Time
	value float64
}

// points are those of the only series of a response.
func points(t *testing.T, response backend.DataResponse) []point {
	t.Helper()
	require.NoError(t, response.Error)
	require.Len(t, response.Frames, 1)
	return pointsOf(response.Frames[0])
}

func pointsOf(frame *data.Frame) []point {
	var list []point
	for row := range frame.Rows() {
		if value, ok := frame.Fields[1].ConcreteAt(row); ok {
			list = append(list, point{frame.Fields[0].At(row).(time.Time), value.(float64)})
		}
	}
	return list
}

// TestNumbers_StepsOfEveryRange compares each point of the lines of a GPU with the samples since the point before: their mean, and the
// least, so that a dip of a minute is drawn in every range.
func TestNumbers_StepsOfEveryRange(t *testing.T) {
	g := newGrafana(t, platform.Config{})
	d := find(t, "gpucloud-node")
	vars := g.choose(t, d, map[string]string{"gpu": "0"})
	p := d.panel(t, "Utilization, means")
	for name, span := range ranges {
		t.Run(name, func(t *testing.T) {
			samples := g.samples(t, vars.inPromQL(`DCGM_FI_DEV_GPU_UTIL{$host=~"$node", gpu=~"$gpu"}`), span)
			step, shown := p.step(t, vars, span), g.over(t, p, vars, span)
			means, least := points(t, shown["A"]), points(t, shown["B"])
			require.Greater(t, len(means), 100)
			require.Len(t, least, len(means))
			assert.WithinDuration(t, g.now, means[len(means)-1].at, 5*time.Minute, "the newest point is from now")
			for i := 2; i < len(means); i++ { // the samples begin in the window of the second
				sum, count, lowest, at := 0.0, 0, math.Inf(1), means[i].at
				for _, s := range samples {
					if !s.at.After(at) && s.at.After(at.Add(-step)) {
						sum, count, lowest = sum+s.value, count+1, min(lowest, s.value)
					}
				}
				require.InDelta(t, sum/float64(count), means[i].value, 0.01, "%s", at)
				require.Equal(t, point{at, lowest}, least[i])
			}
		})
	}
}

// TestNumbers_FleetAverage compares the line and the number of the overview with all samples of all GPUs.
func TestNumbers_FleetAverage(t *testing.T) {
	d := find(t, "gpucloud-gpu-overview")
	p := d.panel(t, "Utilization and activity, means")
	g := newGrafana(t, platform.Config{Nodes: 2, GPUsPerNode: 2})
	vars := g.fill(t, d)
	require.Equal(t, 10*time.Minute, p.step(t, vars, 6*time.Hour))
	line := points(t, g.over(t, p, vars, 6*time.Hour)["A"])
	require.GreaterOrEqual(t, len(line), 36)
	averages := points(t, g.runQueries(t, []map[string]any{{"refId": "A", "range": true, "interval": "10m", "untilEnd": true,
		"expr": "avg(avg_over_time(DCGM_FI_DEV_GPU_UTIL[10m]))"}}, 6*time.Hour, 10*time.Minute, 120)["A"])
	require.Equal(t, len(averages), len(line))
	for i, want := range averages {
		require.InDelta(t, want.value, line[i].value, 1e-9, want.at)
	}
	now := g.over(t, d.panel(t, "At the end of the range"), vars, 6*time.Hour)
	require.InDelta(t, line[len(line)-1].value, numberOf(t, now["A"]), 0.5, "the number is the end of the line, up to a minute")
}

// numberOf is the number of a stat, NaN if there is none.
func numberOf(t *testing.T, response backend.DataResponse) float64 {
	t.Helper()
	require.NoError(t, response.Error)
	for _, frame := range response.Frames {
		for _, field := range frame.Fields {
			if field.Type().Numeric() && field.Len() > 0 {
				value, err := field.NullableFloatAt(field.Len() - 1)
				require.NoError(t, err)
				return *value
			}
		}
	}
	return math.Inf(-1)
}

// find is the dashboard with a uid.
func find(t *testing.T, uid string) dashboard {
	t.Helper()
	for _, d := range load(t) {
		if d.UID == uid {
			return d
		}
	}
	require.Fail(t, "there is no dashboard "+uid)
	return dashboard{}
}

// panel is the panel with a title.
func (d dashboard) panel(t *testing.T, title string) panel {
	t.Helper()
	for _, p := range d.charts() {
		if p.Title == title {
			return p
		}
	}
	require.Fail(t, d.Title+" has no panel "+title)
	return panel{}
}

// TestNumbers_RenamedFamilies queries a row of GPU metrics: their number and age.
func TestNumbers_RenamedFamilies(t *testing.T) {
	for name, exporter := range exporters {
		t.Run(name, func(t *testing.T) {
			g := newGrafana(t, platform.Config{Exporter: exporter})
			g.now = g.now.Truncate(time.Minute) // the end of a range is rounded up to a second that may have samples to come
			d := find(t, "gpucloud-health")
			shown := g.over(t, d.panel(t, "Metric families"), g.fill(t, d), time.Hour)
			number := func(refID string) float64 { return by(t, shown[refID], "family")["profiling"] }
			assert.Equal(t, 64.0, number("A"), "series")
			assert.InDelta(t, 30, number("B"), 31, "seconds since the newest sample")
		})
	}
}
