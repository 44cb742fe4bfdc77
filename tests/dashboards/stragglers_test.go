package dashboards_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// slowAlways is a GPU of the pretraining pool that is slow all the time.
func slowAlways(kind scenario.SlowdownKind, node, index int) scenario.Slowdown {
	return scenario.Slowdown{
		Kind: kind, Pool: scenario.Pretraining, GPU: scenario.GPU{Node: node, Index: index}, End: math.MaxInt64, Pace: 0.75,
	}
}

// rowsOf are the values of a query by node and GPU, and what its label cause is.
func rowsOf(t *testing.T, response backend.DataResponse) (values map[string]float64, causes map[string]string) {
	t.Helper()
	require.NoError(t, response.Error)
	values, causes = map[string]float64{}, map[string]string{}
	for _, frame := range response.Frames {
		column := func(name string, row int) string {
			field, _ := frame.FieldByName(name)
			if field == nil {
				return ""
			}
			text, _ := field.ConcreteAt(row)
			return fmt.Sprint(text)
		}
		number, _ := frame.FieldByName("Value")
		for row := range frame.Rows() {
			key := column("node", row) + "/" + column("gpu", row)
			values[key], causes[key] = numberAt(number, row), column("cause", row)
		}
	}
	return values, causes
}

// whileTraining is a platform at a time within the past days at which the pool trains.
func whileTraining(t *testing.T, d dashboard, config platform.Config) (grafana, values, backend.Responses) {
	t.Helper()
	g := newGrafana(t, config)
	p := d.panel(t, "GPUs slower than their peers, by clock and heat")
	for back := time.Duration(0); back < 4*24*time.Hour; back += 3 * time.Hour {
		g.now = g.now.Add(-3 * time.Hour)
		vars := g.fill(t, d)
		responses := g.show(t, d, p, vars)
		if _, causes := rowsOf(t, responses["A"]); len(causes) > 1 {
			return g, vars, responses
		}
	}
	require.Fail(t, "the pool never trains")
	return g, nil, nil
}

func TestStragglerDashboard_CauseAndEvidence(t *testing.T) {
	d := find(t, "gpucloud-stragglers")
	g, vars, responses := whileTraining(t, d, platform.Config{Slowdowns: []scenario.Slowdown{
		slowAlways(scenario.Hot, 0, 1), slowAlways(scenario.PowerCapped, 1, 2), slowAlways(scenario.SlowClock, 2, 3), slowAlways(scenario.SlowPCIe, 2, 6),
	}})
	behind, causes := rowsOf(t, responses["A"])
	require.Equal(t, map[string]string{
		"gpu-node-0001/1": "heat", "gpu-node-0002/2": "power limit", "gpu-node-0003/3": "low clock", "gpu-node-0003/6": "PCIe",
	}, causes)
	require.ElementsMatch(t, []string{"001", "002", "003"}, vars["suspects"].values)
	_, again := rowsOf(t, g.show(t, d, d.panel(t, "GPUs slower than their peers, by clock and heat"), vars.one("suspects", ""))["A"])
	require.Equal(t, causes, again, "without the search for nodes")

	evidence := func(refID, gpu string) float64 {
		values, _ := rowsOf(t, responses[refID])
		require.Contains(t, values, gpu, refID)
		return values[gpu]
	}
	for gpu, share := range behind {
		if causes[gpu] != "PCIe" {
			assert.InDelta(t, 0.25, share, 0.03, gpu)
		}
		assert.Zero(t, evidence("B", gpu), "%s was never level with its peers in the range", gpu)
	}
	assert.InDelta(t, 0.75, evidence("D", "gpu-node-0001/1"), 0.03, "clock of the peers' clock")
	assert.Less(t, evidence("E", "gpu-node-0001/1"), 0.92, "power of the peers' power")
	assert.Greater(t, evidence("F", "gpu-node-0001/1"), 1.1, "tensor activity of the peers'")
	assert.Greater(t, evidence("H", "gpu-node-0001/1"), 0.5, "by heat")
	assert.Greater(t, evidence("I", "gpu-node-0002/2"), 0.3, "by power")
	assert.InDelta(t, 0.05, evidence("J", "gpu-node-0003/6"), 0.02, "PCIe replays")
	assert.Zero(t, evidence("H", "gpu-node-0003/3"), "by heat")
}

// TestStragglerDashboard_NoLoad has a stall: no GPU is under load, so nothing is compared, and nothing is well.
func TestStragglerDashboard_NoLoad(t *testing.T) {
	d := find(t, "gpucloud-stragglers")
	g := newGrafana(t, platform.Config{Incidents: scenario.Incidents})
	vars := g.fill(t, d)
	for _, title := range []string{"GPUs slower than their peers, by clock and heat", "Nodes slower than their node pool, by heat and power limit"} {
		responses := g.show(t, d, d.panel(t, title), vars)
		require.Equal(t, []string{"Nothing to compare: no GPU is under load"}, nodesIn(t, responses["A"]), title)
	}
}

// TestStragglerDashboard_NodesThatKeepFailing compares the score with the numbers beside it.
func TestStragglerDashboard_NodesThatKeepFailing(t *testing.T) {
	d := find(t, "gpucloud-stragglers")
	g := newGrafana(t, platform.Config{})
	p, vars := d.panel(t, "Nodes that keep failing"), g.fill(t, d)
	responses := g.show(t, d, p, vars)
	score, _ := rowsOf(t, responses["A"])
	sums := map[string]float64{}
	for _, refID := range []string{"B", "C", "D", "E"} {
		numbers, _ := rowsOf(t, responses[refID])
		for node, number := range numbers {
			sums[node] += number
		}
	}
	require.NotEmpty(t, sums, "the simulated nodes had failures")
	require.Equal(t, sums, score)
	heat, _ := rowsOf(t, g.show(t, d, p, vars.one("failing", "gpu-node-0003"))["F"])
	require.Greater(t, heat["gpu-node-0003/"], 3600.0, "seconds in 29 days of the GPU that is always hot")
}
