package mainapi

import (
	"fmt"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// instances lists the virtual machines. A name is the label vm_name of metrics. A machine is drained while a GPU of it has
// failed, else running or idle as its node pool is.
func (a *API) instances(q *listRequest) []item {
	f, drained := a.config.Scenario.Fleet(), a.drained(q.now)
	var states [scenario.NodePools]string
	for pool := range states {
		states[pool] = "idle"
		if a.config.Scenario.Reader(scenario.NodePool(pool), q.now).At(q.now).Compute > 0 {
			states[pool] = "running"
		}
	}
	items := make([]item, len(f.Nodes))
	for i, n := range f.Nodes {
		state := states[n.NodePool]
		if drained[i] {
			state = "drained"
		}
		items[i] = item{
			"id": fmt.Sprintf("vm-%08x", uint32(scenario.Mix(uint64(i), 52))), "name": n.Name, "type": productOf(n.GPUModel).typeName(f.GPUsPerNode),
			"location": scenario.Home, "state": state, "project_id": a.config.ProjectID, "cluster_id": n.Cluster, "nodepool_name": n.NodePool.String(),
			"gpu_model": n.GPUModel, "gpus": f.GPUsPerNode, "vcpus": scenario.Processors, "memory_gib": scenario.NodeMemory >> 30,
			"private_ip": fmt.Sprintf("10.0.%d.%d", i/250, 2+i%250), "created_at": stamp(a.config.Scenario.Begin() - int64(20+i%200)*day),
		}
	}
	return items
}

// drained returns the positions of the nodes that are out of service at t.
func (a *API) drained(t int64) map[int]bool {
	nodes := map[int]bool{}
	for _, failure := range a.config.Scenario.NodeFailures(a.config.Scenario.Begin(), t) {
		if failure.Repaired > t {
			nodes[failure.GPU.Node] = true
		}
	}
	return nodes
}
