package dashboards_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// TestStragglers_FewNodesAreCompared has a GPU that is always hot: variables find its node, and only the GPUs of such nodes are compared.
func TestStragglers_FewNodesAreCompared(t *testing.T) {
	d, g := find(t, "gpucloud-stragglers"), newGrafana(t, platform.Config{})
	p, vars := d.panel(t, "GPUs slower than their peers, by clock and heat"), g.fill(t, d)
	require.Less(t, len(vars["behind"].values), 3, "of eight nodes")
	found := textsIn(t, g.show(t, d, p, vars)["A"], "node")
	require.Contains(t, found, "gpu-node-0003")
	require.Equal(t, found, textsIn(t, g.show(t, d, p, vars.one("rest", "()"))["A"], "node"), "without the search for nodes")
}

// TestStragglerDashboard_NodesThatKeepFailing compares the score with the numbers beside it.
func TestStragglerDashboard_NodesThatKeepFailing(t *testing.T) {
	d := find(t, "gpucloud-stragglers")
	g := newGrafana(t, platform.Config{})
	p, vars := d.panel(t, "Nodes that keep failing"), g.fill(t, d)
	responses := g.show(t, d, p, vars)
	score := by(t, responses["A"], "node")
	sums := map[string]float64{}
	for _, refID := range []string{"B", "C", "D", "E"} {
		for node, number := range by(t, responses[refID], "node") {
			sums[node] += number
		}
	}
	require.NotEmpty(t, sums, "the simulated nodes had failures")
	require.Equal(t, sums, score)
}
