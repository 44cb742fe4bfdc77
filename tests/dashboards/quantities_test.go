package dashboards_test

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// by are the numbers of a table by the values of a label.
func by(t *testing.T, response backend.DataResponse, label string) map[string]float64 {
	t.Helper()
	require.NoError(t, response.Error)
	found := map[string]float64{}
	for _, frame := range response.Frames {
		names, _ := frame.FieldByName(label)
		value, _ := frame.FieldByName("Value")
		for row := range frame.Rows() {
			name, _ := names.ConcreteAt(row)
			found[name.(string)] += numberAt(value, row)
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

// named is the number of a panel with a legend.
func (g grafana) named(t *testing.T, p panel, vars values, legend string) float64 {
	t.Helper()
	responses := g.over(t, p, vars, 6*time.Hour)
	for _, target := range p.Targets {
		if target["legendFormat"] == legend {
			return numberOf(t, responses[target["refId"].(string)])
		}
	}
	require.Fail(t, p.Title+" has no number "+legend)
	return 0
}

// TestQuantities_OneValueOnEveryPanel compares all panels that show one quantity, at one time, on a platform with every incident: with
// the names of metrics before DCGM 4.6, and since.
func TestQuantities_OneValueOnEveryPanel(t *testing.T) {
	for name, exporter := range map[string]metrics.Exporter{"before DCGM 4.6": {}, "since DCGM 4.6": {NewNames: true}} {
		t.Run(name, func(t *testing.T) {
			now := time.Now().Truncate(time.Minute)
			g := newGrafana(t, platform.Config{Incidents: scenario.Incidents, Exporter: exporter, Now: func() time.Time { return now }})
			g.now = now
			overview, gpuTime, usage, network := find(t, "gpucloud-gpu-overview"), find(t, "gpucloud-gpu-time"), find(t, "gpucloud-usage"), find(t, "gpucloud-network")
			vars, ofTime := g.fill(t, overview), g.fill(t, gpuTime)

			states := by(t, g.over(t, overview.panel(t, "GPUs, by what they do at the end of the range"), vars, 6*time.Hour)["A"], "state")
			require.Equal(t, 64.0, sum(states), "every GPU counts once: %v", states)
			causes := map[string]float64{}
			for _, frame := range g.over(t, gpuTime.panel(t, "GPUs by cause"), ofTime, 6*time.Hour)["A"].Frames {
				points := pointsOf(frame)
				last := points[len(points)-1]
				require.Equal(t, now, last.at.UTC().Truncate(time.Minute).In(now.Location()))
				causes[frame.Fields[1].Labels["cause"]] = last.value
			}
			assert.Equal(t, causes["Computing"]+causes["Throttled"]+causes["Low activity"], states["Busy"])
			assert.Equal(t, causes["Held idle"], states["Held idle"])
			assert.Equal(t, causes["Free"], states["Free"])
			assert.Equal(t, causes["Faulted"], states["Down"])
			assert.Positive(t, states["Down"])

			stats := overview.panel(t, "At the end of the range")
			nodes := by(t, g.over(t, overview.panel(t, "Twenty idlest nodes"), vars, 6*time.Hour)["A"], "node")
			board := find(t, "gpucloud-node")
			ofNode := board.panel(t, "At the end of the range")
			power, hottest := 0.0, 0.0
			for node, utilization := range nodes {
				chosen := g.choose(t, board, map[string]string{"node": node})
				assert.InDelta(t, utilization, g.named(t, ofNode, chosen, "Utilization, mean"), 1, "of %s, by rollups and by GPUs", node)
				table := by(t, g.over(t, board.panel(t, "GPUs"), chosen, 6*time.Hour)["A"], "gpu")
				assert.InDelta(t, sum(table)/float64(len(table)), g.named(t, ofNode, chosen, "Utilization, mean"), 1e-6, node)
				power += g.named(t, ofNode, chosen, "Power of GPUs")
				hottest = max(hottest, g.named(t, ofNode, chosen, "Hottest GPU"))
			}
			assert.InDelta(t, sum(nodes)/float64(len(nodes)), g.named(t, stats, vars, "Utilization, mean"), 1)
			assert.InDelta(t, power, g.named(t, stats, vars, "Power"), 1e-6)
			assert.InDelta(t, hottest, g.named(t, stats, vars, "Hottest GPU"), 1e-9)

			ofUsage := g.fill(t, usage)
			ofUsage["resolution"] = ofTime["resolution"] // reports look less often
			hours := by(t, g.over(t, usage.panel(t, "GPU-hours of the range, by what they went into"), ofUsage, 6*time.Hour)["A"], "state")
			pools := by(t, g.over(t, gpuTime.panel(t, "GPU-hours by node pool"), ofTime, 6*time.Hour)["A"], "cause")
			assert.InDelta(t, pools["50"], hours["Held idle"], 1e-6, "held idle")
			assert.InDelta(t, sum(pools), sum(hours), 1e-6)

			ofPorts := g.fill(t, network)
			bars := 0.0
			over := network.panel(t, "Port errors over time")
			for _, refID := range []string{"A", "B", "C"} {
				for _, bar := range points(t, g.over(t, over, ofPorts, 6*time.Hour)[refID]) {
					bars += bar.value
				}
			}
			assert.InDelta(t, g.named(t, network.panel(t, "At the end of the range"), ofPorts, "Port errors"), bars, 2, "bars begin at a step")
		})
	}
}
