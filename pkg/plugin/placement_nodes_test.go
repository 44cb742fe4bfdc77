package plugin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement/placementtest"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// ownNode is a node of a pool, idle but for the change.
func ownNode(name string, change func(*placementtest.Node)) placementtest.Node {
	n := placementtest.Node{Name: name, Pool: "training", Model: "NVIDIA H100 80GB HBM3", GPUs: 8, IsIdle: true}
	if change != nil {
		change(&n)
	}
	return n
}

func TestPlacement_OwnNodes(t *testing.T) {
	drained := func(n *placementtest.Node) { n.Slurm, n.IsIdle = true, false }
	managed := func(n *placementtest.Node) { n.Slurm = true }
	for name, test := range map[string]struct {
		nodes     []placementtest.Node
		hasStates bool
		gpus      float64
		reason    any
		states    []any
	}{
		"all free":       {[]placementtest.Node{ownNode("a", nil), ownNode("b", nil)}, false, 16, nil, []any{"idle", "idle"}},
		"one in use":     {[]placementtest.Node{ownNode("a", nil), ownNode("b", func(n *placementtest.Node) { n.Busy = 1 })}, false, 8, "8 of 16 are free", []any{"idle"}},
		"memory is held": {[]placementtest.Node{ownNode("a", nil), ownNode("b", func(n *placementtest.Node) { n.Holds = true })}, false, 8, "8 of 16 are free", []any{"idle"}},
		"faulty": {[]placementtest.Node{ownNode("a", nil), ownNode("b", func(n *placementtest.Node) { n.Faulty = true })}, false, 8,
			"8 of 16 are free; 1 node idle but with GPU memory that can't be repaired", []any{"idle", "faulty"}},
		"no longer reporting": {[]placementtest.Node{ownNode("a", nil), ownNode("b", func(n *placementtest.Node) { n.Silent = true })}, false, 8, "8 of 8 are free", []any{"idle"}},
		"none":                {[]placementtest.Node{ownNode("a", func(n *placementtest.Node) { n.Busy = 8 })}, false, 0, "0 of 8 are free", []any{"no node is idle"}},
		"drained, of which Slurm has the number": {[]placementtest.Node{ownNode("a", managed), ownNode("b", drained)}, false, 8,
			"8 of 16 are free; 1 node idle but may be drained or down", []any{"idle, but 1 of them may be drained or down", "idle, but 1 of them may be drained or down"}},
		"drained, by its state": {[]placementtest.Node{ownNode("a", managed), ownNode("b", drained)}, true, 8,
			"8 of 16 are free; 1 node idle but drained or down", []any{"idle", "drained or down"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &placementtest.World{Nodes: test.nodes, HasStates: test.hasStates, Capacities: placementtest.NotServed}
			query := queryWorld(t, w)
			options, err := query(values{"queryType": "placement", "gpus": 16})
			require.NoError(t, err)
			row := options[0]
			require.Equal(t, 1, row.Rows())
			cell := func(name string) any {
				field, _ := row.FieldByName(name)
				value, ok := field.ConcreteAt(0)
				if !ok {
					return nil
				}
				return value
			}
			require.Equal(t, []any{test.gpus, test.reason, "cluster-9 / training", "h100-80gb"}, []any{cell("gpus"), cell("reason"), cell("node_pool"), cell("type")})
			require.Equal(t, map[bool]string{true: "yes", false: "no"}[test.reason == nil], cell("enough"))
			nodes, err := query(values{"queryType": "placement", "format": "nodes"})
			require.NoError(t, err)
			var states []any
			state, _ := nodes[0].FieldByName("state")
			for i := range state.Len() {
				value, _ := state.ConcreteAt(i)
				states = append(states, value)
			}
			require.Equal(t, test.states, states)
		})
	}
}

func TestPlacement_UsualHours(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Now: time.Now})
	ds := newDatasourceWith(t, address, values{"accessKeyId": platform.DefaultAccessKeyID},
		map[string]string{"monitoringToken": platform.DefaultMonitoringToken, "secretKey": platform.DefaultSecretKey})
	share := func(options values) (sum float64, hours int) {
		options["queryType"], options["format"] = "placement", "hours"
		frame := frames(t, ds, options)[0]
		require.Contains(t, noticeTexts(frame), "Of own nodes only: the platform has no history of capacities.")
		for _, field := range frame.Fields {
			for i := range field.Len() {
				if value, ok := field.ConcreteAt(i); ok && field.Name != "hour" {
					sum, hours = sum+value.(float64), hours+1
				}
			}
		}
		return sum, hours
	}
	usual, hours := share(values{"gpus": 8})
	require.Equal(t, 7*24, hours)
	require.Positive(t, usual)
	require.Less(t, usual, float64(hours))
	more, _ := share(values{"gpus": 32})
	require.Less(t, more, usual, "more GPUs are idle less often")
	none, _ := share(values{"gpus": 33})
	require.Zero(t, none, "no pool has so many")
	_, hours = share(values{"gpus": 8, "types": "h200"})
	require.Zero(t, hours, "there are no such nodes")
	_, hours = share(values{"gpus": 8, "locations": "eu-north1-a"})
	require.Zero(t, hours, "nor any there")
	there, _ := share(values{"gpus": 8, "locations": "us-east1-a"})
	require.InDelta(t, usual, there, 0)
}
