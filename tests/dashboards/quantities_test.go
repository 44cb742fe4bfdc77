package dashboards_test

import (
	"cmp"
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
	return columnBy(t, response, label, "Value")
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

// incidentTime is a platform with every incident, at one time. Samples end there.
func incidentTime(t *testing.T, exporter metrics.Exporter) grafana {
	t.Helper()
	now := time.Now().Truncate(time.Minute)
	g := newGrafana(t, platform.Config{GPUsPerNode: 2, Incidents: scenario.Incidents, Exporter: exporter, Now: func() time.Time { return now }})
	g.now = now
	return g
}

// exporters have the names of metrics before DCGM 4.6, and since.
var exporters = map[string]metrics.Exporter{"before DCGM 4.6": {}, "since DCGM 4.6": {NewNames: true}}

const sixHours = 6 * time.Hour

// TestQuantities_OneNumberOfGPUs compares all panels that count GPUs by what they do, or show their hours.
func TestQuantities_OneNumberOfGPUs(t *testing.T) {
	for name, exporter := range exporters {
		t.Run(name, func(t *testing.T) {
			g := incidentTime(t, exporter)
			overview, gpuTime, usage := find(t, "gpucloud-gpu-overview"), find(t, "gpucloud-gpu-time"), find(t, "gpucloud-usage")
			vars, ofTime, ofUsage := g.fill(t, overview), g.fill(t, gpuTime), g.fill(t, usage)

			states := by(t, g.over(t, overview.panel(t, "GPUs, by what they do at the end of the range"), vars, sixHours)["A"], "state")
			require.Equal(t, 16.0, sum(states), "every GPU counts once: %v", states)
			causes := map[string]float64{}
			for _, frame := range g.over(t, gpuTime.panel(t, "GPUs by cause"), ofTime, sixHours)["A"].Frames {
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
			hours := by(t, g.over(t, usage.panel(t, "GPU-hours of the range, by what they went into"), ofUsage, sixHours)["A"], "state")
			pools := by(t, g.over(t, gpuTime.panel(t, "GPU-hours by node pool"), ofTime, sixHours)["A"], "cause")
			assert.InDelta(t, pools["50"], hours["Held idle"], 1e-6, "held idle")
			assert.InDelta(t, sum(pools), sum(hours), 1e-6)
			assert.InDelta(t, 16*6, sum(hours), 0.01)
		})
	}
}

// TestQuantities_GPUsCountOnce has two GPUs whose exporter was upgraded three minutes ago, so that their series have other labels and names
// since, and one that is divided into three instances (MIG).
func TestQuantities_GPUsCountOnce(t *testing.T) {
	var lines []string
	for metric, value := range map[string]string{"FB_USED": "70000", "GPU_UTIL": "99", "POWER_USAGE": "600", "SM_CLOCK": "1900"} {
		renamed := map[string]string{"GPU_UTIL": "GPU_UTIL_RATIO", "POWER_USAGE": "BOARD_POWER_WATTS"}
		const of = `{cluster_id="a", vm_name="a-1", nodepool_name="p", modelName="H100", gpu="0..1", UUID="u", `
		lines = append(lines,
			"DCGM_FI_DEV_"+metric+of+`instance="10.0.0.1:9400"} `+value+"x57",
			"DCGM_FI_DEV_"+cmp.Or(renamed[metric], metric)+of+`instance="10.0.0.2:9400", DCGM_FI_DRIVER_VERSION="580"} _x57 `+value+"x2")
	}
	const divided = `{cluster_id="a", vm_name="a-2", nodepool_name="p", modelName="H100", gpu="0", GPU_I_ID="1..3"} `
	lines = append(lines, "DCGM_FI_DEV_FB_USED"+divided+"20000x60", "DCGM_FI_DEV_POWER_USAGE"+divided+"600x60", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"+divided+"0.9x60")
	g := newGrafanaWith(t, lines...)
	overview, usage, gpuTime, node := find(t, "gpucloud-gpu-overview"), find(t, "gpucloud-usage"), find(t, "gpucloud-gpu-time"), find(t, "gpucloud-node")
	const all = 3.0
	states := by(t, g.over(t, overview.panel(t, "GPUs, by what they do at the end of the range"), g.fill(t, overview), time.Hour)["A"], "state")
	assert.Equal(t, all, sum(states), states)
	causes := 0.0
	for _, frame := range g.over(t, gpuTime.panel(t, "GPUs by cause"), g.fill(t, gpuTime), time.Hour)["A"].Frames {
		of := pointsOf(frame)
		causes += of[len(of)-1].value
	}
	assert.Equal(t, all, causes)
	ofUsage := g.fill(t, usage)
	assert.InDelta(t, all, sum(by(t, g.over(t, usage.panel(t, "GPU-hours of the range, by what they went into"), ofUsage, time.Hour)["A"], "state")), 0.1)
	pools := g.over(t, usage.panel(t, "By node pool"), ofUsage, time.Hour)["A"]
	assert.Equal(t, all, sum(columnBy(t, pools, "nodepool_name", "gpus")))
	assert.InDelta(t, all, sum(columnBy(t, pools, "nodepool_name", "gpu_hours")), 0.1)
	chosen := g.choose(t, node, map[string]string{"node": "a-1"})
	table := g.over(t, node.panel(t, "GPUs"), chosen, time.Hour)
	assert.Len(t, by(t, table["E"], "gpu"), 2)
	assert.Equal(t, 1200.0, sum(by(t, table["E"], "gpu")), "power of each once")
}

// TestQuantities_OneNumberOfNodes compares the numbers of nodes with those of the fleet.
func TestQuantities_OneNumberOfNodes(t *testing.T) {
	g := incidentTime(t, metrics.Exporter{})
	overview, board := find(t, "gpucloud-gpu-overview"), find(t, "gpucloud-node")
	vars := g.fill(t, overview)
	stats := overview.panel(t, "At the end of the range")
	nodes := by(t, g.over(t, overview.panel(t, "Twenty idlest nodes"), vars, sixHours)["A"], "node")
	power, hottest := 0.0, 0.0
	for node, utilization := range nodes {
		chosen := g.choose(t, board, map[string]string{"node": node})
		table := g.over(t, board.panel(t, "GPUs"), chosen, sixHours)
		used := by(t, table["A"], "gpu")
		assert.InDelta(t, sum(used)/float64(len(used)), utilization, 1e-6, node)
		power += sum(by(t, table["E"], "gpu"))
		for _, heat := range by(t, table["F"], "gpu") {
			hottest = max(hottest, heat)
		}
	}
	assert.InDelta(t, sum(nodes)/float64(len(nodes)), g.named(t, stats, vars, "Utilization, mean"), 1e-6)
	assert.InDelta(t, power, g.named(t, stats, vars, "Power"), 1e-6)
	assert.InDelta(t, hottest, g.named(t, stats, vars, "Hottest GPU"), 1e-9)
}

// TestQuantities_OneNumberOfFaults compares the errors of ports and the XID codes of GPUs.
func TestQuantities_OneNumberOfFaults(t *testing.T) {
	g := incidentTime(t, metrics.Exporter{})
	network := find(t, "gpucloud-network")
	ofPorts := g.fill(t, network)
	stats := network.panel(t, "At the end of the range")
	down := g.named(t, stats, ofPorts, "Links down")
	assert.Positive(t, down)
	assert.InDelta(t, down, sum(by(t, g.over(t, network.panel(t, "Worst ports"), ofPorts, sixHours)["B"], "node")), 1e-9)

	stragglers, overview, board := find(t, "gpucloud-stragglers"), find(t, "gpucloud-gpu-overview"), find(t, "gpucloud-node")
	codes := by(t, g.over(t, stragglers.panel(t, "XID errors at the end of the range"), g.fill(t, stragglers), sixHours)["A"], "node")
	require.NotEmpty(t, codes)
	assert.Equal(t, codes, by(t, g.over(t, overview.panel(t, "Top faults"), g.fill(t, overview), sixHours)["B"], "node"))
	for node, code := range codes {
		chosen := g.choose(t, board, map[string]string{"node": node})
		assert.Equal(t, code, sum(by(t, g.over(t, board.panel(t, "GPUs"), chosen, sixHours)["J"], "gpu")), node)
	}
}

// TestQuantities_OneCost compares what jobs and pools took on the dashboards and in the rule for budgets.
func TestQuantities_OneCost(t *testing.T) {
	now := time.Now().Truncate(time.Minute)
	g := newGrafana(t, platform.Config{GPUsPerNode: 2, Now: func() time.Time { return now }})
	g.now = now
	usage, runs := find(t, "gpucloud-usage"), find(t, "gpucloud-runs")
	vars := g.fill(t, usage)
	const day = 24 * time.Hour
	measured := func(p panel, vars values, name, measure string) map[string]float64 {
		return columnBy(t, g.over(t, p, vars, day)["A"], name, measure)
	}
	pools := usage.panel(t, "By node pool")
	hours := by(t, g.over(t, usage.panel(t, "GPU-hours of the range, by what they went into"), vars, day)["A"], "state")
	assert.InDelta(t, sum(hours), sum(measured(pools, vars, "nodepool_name", "gpu_hours")), 0.01*sum(hours))
	assert.Equal(t, 16.0, sum(measured(pools, vars, "nodepool_name", "gpus")))

	ofRuns := g.fill(t, runs)
	for _, measure := range []string{"gpus", "gpu_hours", "energy", "cost"} {
		jobs := measured(usage.panel(t, "By fine-tuning job, from its beginning"), vars, "run_id", measure)
		require.NotEmpty(t, jobs, measure)
		compared := measured(runs.panel(t, "What each run took, and its difference to the baseline"), ofRuns, "run_id", measure)
		assert.Equal(t, jobs, compared, measure)
	}
	// The rule has no range of a dashboard: it is of the past day, as these are.
	rule := map[string]any{"refId": "A", "queryType": "runs", "source": map[string]any{"kind": "fineTuning", "statuses": []string{"running"}}, "measures": []string{"cost"}}
	jobs := measured(usage.panel(t, "By fine-tuning job, from its beginning"), vars, "run_id", "cost")
	going := columnBy(t, g.runQueries(t, []map[string]any{rule}, day, time.Minute, 100)["A"], "run_id", "cost")
	require.NotEmpty(t, going)
	for job, cost := range going {
		assert.InDelta(t, jobs[job], cost, 1e-9, job)
	}
}

// columnBy are the numbers of a column by those of a column of texts, without the rows that have none.
func columnBy(t *testing.T, response backend.DataResponse, name, measure string) map[string]float64 {
	t.Helper()
	require.NoError(t, response.Error)
	found := map[string]float64{}
	for _, frame := range response.Frames {
		names, _ := frame.FieldByName(name)
		numbers, _ := frame.FieldByName(measure)
		for row := range frame.Rows() {
			key, _ := names.ConcreteAt(row)
			if _, ok := numbers.ConcreteAt(row); ok {
				found[key.(string)] += numberAt(numbers, row)
			}
		}
	}
	return found
}
