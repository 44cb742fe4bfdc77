package dashboards_test

import (
	"fmt"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// rowsOf are the values of a query by node and GPU.
func rowsOf(t *testing.T, response backend.DataResponse) map[string]float64 {
	t.Helper()
	require.NoError(t, response.Error)
	values := map[string]float64{}
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
			values[column("node", row)+"/"+column("gpu", row)] = numberAt(number, row)
		}
	}
	return values
}

// TestStragglerDashboard_NoLoad has a stall: no GPU is under load, so nothing is compared, and nothing is well.
func TestStragglerDashboard_NoLoad(t *testing.T) {
	d := find(t, "gpucloud-stragglers")
	g := newGrafana(t, platform.Config{Incidents: scenario.Incidents})
	vars := g.fill(t, d)
	for _, title := range []string{"GPUs slower than their peers, by clock and heat", "Nodes slower than their node pool, by heat and power limit"} {
		responses := g.show(t, d, d.panel(t, title), vars)
		require.Equal(t, []string{"Nothing to compare: no GPU is under load"}, textsIn(t, responses["A"], "sentence"), title)
	}
}

// TestStragglerDashboard_NodesThatKeepFailing compares the score with the numbers beside it.
func TestStragglerDashboard_NodesThatKeepFailing(t *testing.T) {
	d := find(t, "gpucloud-stragglers")
	g := newGrafana(t, platform.Config{})
	p, vars := d.panel(t, "Nodes that keep failing"), g.fill(t, d)
	responses := g.show(t, d, p, vars)
	score := rowsOf(t, responses["A"])
	sums := map[string]float64{}
	for _, refID := range []string{"B", "C", "D", "E"} {
		numbers := rowsOf(t, responses[refID])
		for node, number := range numbers {
			sums[node] += number
		}
	}
	require.NotEmpty(t, sums, "the simulated nodes had failures")
	require.Equal(t, sums, score)
	heat := rowsOf(t, g.show(t, d, p, vars.one("failing", "gpu-node-0003"))["F"])
	require.Greater(t, heat["gpu-node-0003/"], 3600.0, "seconds in 29 days of the GPU that is always hot")
}
