package dashboards_test

import (
	"maps"
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

// by are the numbers of a table by the values of a label, without the rows that have none.
func by(t *testing.T, response backend.DataResponse, label string) map[string]float64 {
	t.Helper()
	require.NoError(t, response.Error)
	found := map[string]float64{}
	for _, frame := range response.Frames {
		names, _ := frame.FieldByName(label)
		numbers, _ := frame.FieldByName("Value")
		for row := range frame.Rows() {
			name, _ := names.ConcreteAt(row)
			if number, ok := numbers.ConcreteAt(row); ok {
				found[name.(string)] += number.(float64)
			}
		}
	}
	return found
}

func sum(numbers map[string]float64) float64 {
	total := 0.0
	for _, number := range numbers {
		total += number
	}
	return total
}

// incidentTime is a platform with incidents, at one time. Samples end there.
func incidentTime(t *testing.T) grafana {
	t.Helper()
	now := time.Now().Truncate(time.Minute)
	g := newGrafana(t, platform.Config{Incidents: incidents, Now: func() time.Time { return now }})
	g.now = now
	return g
}

// shown is the range of the panels that are compared.
const shown = 2 * time.Hour

// TestQuantities_OneNumberOfGPUs compares all panels that count GPUs by what they do, or show their hours.
func TestQuantities_OneNumberOfGPUs(t *testing.T) {
	const gpus = 64.0
	g := incidentTime(t)
	overview, gpuTime, usage := find(t, "gpucloud-gpu-overview"), find(t, "gpucloud-gpu-time"), find(t, "gpucloud-usage")
	vars, ofTime, ofUsage := g.fill(t, overview), g.fill(t, gpuTime), g.fill(t, usage)

	states := by(t, g.over(t, overview.panel(t, "GPUs, by what they do at the end of the range"), vars, shown)["A"], "state")
	require.Equal(t, gpus, sum(states), "every GPU counts once: %v", states)
	causes := map[string]float64{}
	for _, frame := range g.over(t, gpuTime.panel(t, "GPUs by cause"), ofTime, shown)["A"].Frames {
		points := pointsOf(frame)
		last := points[len(points)-1]
		require.Equal(t, g.now, last.at.UTC().Truncate(time.Minute).In(g.now.Location()))
		causes[frame.Fields[1].Labels["cause"]] = last.value
	}
	assert.Equal(t, causes["30"]+causes["20"]+causes["40"], states["Busy"])
	assert.Equal(t, causes["50"], states["Held idle"])
	assert.Equal(t, causes["60"], states["Free"])
	assert.Equal(t, causes["10"], states["Down"])
	assert.Positive(t, states["Down"])

	require.Equal(t, ofTime["resolution"], ofUsage["resolution"], "both dashboards look equally often")
	hours := by(t, g.over(t, usage.panel(t, "GPU-hours of the range, by what they went into"), ofUsage, shown)["A"], "state")
	pools := by(t, g.over(t, gpuTime.panel(t, "GPU-hours by node pool"), ofTime, shown)["A"], "cause")
	assert.InDelta(t, pools["50"], hours["Held idle"], 1e-6, "held idle")
	assert.InDelta(t, gpus*shown.Hours(), sum(hours), 0.01)
}

// TestVariables_ReadLess compares panels of which variables find what is read of a large fleet, with the same where all is read.
func TestVariables_ReadLess(t *testing.T) {
	g := incidentTime(t)
	for title, test := range map[string]struct {
		uid, label string
		all        map[string]string
	}{
		"GPU-hours by node pool": {"gpucloud-gpu-time", "cause", map[string]string{
			"every": "DCGM_FI_DEV_(FB_USED|GPU_UTIL)", "others": "()", "jobs": "()",
			"no_util": "()", "no_engine": "()", "no_traffic": "()", "no_energy": "()", "no_minute": "()",
		}},
		"Top faults": {"gpucloud-gpu-overview", "node", map[string]string{"down": ""}},
		"GPUs slower than their peers, by clock and heat": {"gpucloud-stragglers", "node", map[string]string{"rest": "()"}},
	} {
		t.Run(title, func(t *testing.T) {
			d := find(t, test.uid)
			p, few := d.panel(t, title), g.fill(t, d)
			all := maps.Clone(few)
			for name, value := range test.all {
				require.NotEqual(t, []string{value}, few[name].values, name)
				all[name] = chosen{values: []string{value}}
			}
			found := by(t, g.over(t, p, few, shown)["A"], test.label)
			require.Greater(t, len(found), 0)
			require.NotContains(t, found, "", "a sentence in place of rows")
			assert.InDeltaMapValues(t, by(t, g.over(t, p, all, shown)["A"], test.label), found, 1e-6)
		})
	}
}

// TestGPUTime_ResolutionOnLargeFleets has 200,000 evaluations of a GPU in the range at most.
func TestGPUTime_ResolutionOnLargeFleets(t *testing.T) {
	d := find(t, "gpucloud-gpu-time")
	for nodes, every := range map[int]string{8: "60", 100: "121"} {
		g := newGrafana(t, platform.Config{Nodes: nodes})
		end := slices.IndexFunc(d.Templating.List, func(v variable) bool { return v.Name == "resolution" })
		d.Templating.List = d.Templating.List[:end+1]
		vars := g.choose(t, d, map[string]string{"has_gpus": "1"}) // which reads every GPU over the range
		require.Equal(t, []string{every}, vars["resolution"].values, "%d nodes, 6 h", nodes)
	}
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
	for _, span := range []time.Duration{24 * time.Hour, 7 * 24 * time.Hour} {
		t.Run(span.String(), func(t *testing.T) {
			collected := map[string]any{"refId": "A", "expr": vars.inPromQL(`DCGM_FI_DEV_GPU_UTIL{$host=~"$node", gpu=~"$gpu"}`), "range": true, "interval": "1m"}
			samples := points(t, g.runQueries(t, []map[string]any{collected}, span, time.Minute, 11_000)["A"])
			step, drawn := p.step(t, vars, span), g.over(t, p, vars, span)
			means, least := points(t, drawn["A"]), points(t, drawn["B"])
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
