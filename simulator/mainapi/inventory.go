package mainapi

import (
	"fmt"
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// What a machine or a pool can be in.
const (
	stateRunning = "running"
	stateDrained = "drained"
	stateIdle    = "idle"
)

// built is when the i-th thing of a kind was made: some time before the scenario begins.
func (a *API) built(kind uint64, i int) string {
	days := 20 + 200*scenario.Unit(scenario.Mix(kind, uint64(i), 51))
	return stamp(a.config.Scenario.Begin() - int64(days*24*3600e3))
}

// Kinds of things, to tell chance apart.
const (
	kindNode uint64 = iota
	kindCluster
	kindPool
	kindDisk
	kindBalancer
)

// instances lists the virtual machines. A name is the label vm_name of metrics.
func (a *API) instances(q *ask) []item {
	f, drained := a.config.Scenario.Fleet(), a.drained(q.now)
	busy := a.busy(q.now)
	items := make([]item, len(f.Nodes))
	for i, n := range f.Nodes {
		state := stateIdle
		if busy[n.NodePool] {
			state = stateRunning
		}
		if _, out := drained[i]; out {
			state = stateDrained
		}
		items[i] = item{
			"id": fmt.Sprintf("vm-%08x", uint32(scenario.Mix(uint64(i), 52))), "name": n.Name, "type": productOf(n.GPUModel).typeName(f.GPUsPerNode),
			"location": scenario.Home, "state": state, "project_id": a.config.ProjectID, "cluster_id": n.Cluster, "nodepool_name": n.NodePool.String(),
			"gpu_model": n.GPUModel, "gpus": f.GPUsPerNode, "vcpus": scenario.Processors, "memory_gib": scenario.NodeMemory >> 30,
			"private_ip": fmt.Sprintf("10.0.%d.%d", i/250, 2+i%250), "created_at": a.built(kindNode, i),
		}
	}
	return items
}

// busy tells which pools work.
func (a *API) busy(t int64) (busy [scenario.NodePools]bool) {
	for pool := range busy {
		busy[pool] = a.config.Scenario.Reader(scenario.NodePool(pool), t).At(t).Compute > 0
	}
	return busy
}

// pool is the part of a node pool that is in one cluster.
type pool struct {
	cluster     string
	pool        scenario.NodePool
	model       string
	nodes, down int
}

// pools returns the node pools in the fleet's order.
func (a *API) pools(t int64) []pool {
	var pools []pool
	drained := a.drained(t)
	for i, n := range a.config.Scenario.Fleet().Nodes {
		if last := len(pools) - 1; last < 0 || pools[last].cluster != n.Cluster || pools[last].pool != n.NodePool {
			pools = append(pools, pool{cluster: n.Cluster, pool: n.NodePool, model: n.GPUModel})
		}
		p := &pools[len(pools)-1]
		p.nodes++
		if _, out := drained[i]; out {
			p.down++
		}
	}
	return pools
}

// nodePools lists the node pools. A name is the label nodepool_name of metrics.
func (a *API) nodePools(q *ask) []item {
	var items []item
	for i, p := range a.pools(q.now) {
		items = append(items, item{
			"id": fmt.Sprintf("pool-%s-%s", p.cluster, p.pool), "name": p.pool.String(), "cluster_id": p.cluster,
			"type": productOf(p.model).typeName(a.config.Scenario.Fleet().GPUsPerNode), "node_count": p.nodes, "ready_count": p.nodes - p.down,
			"state": stateRunning, "created_at": a.built(kindPool, i),
		})
	}
	return items
}

// clusters lists the Kubernetes clusters. An id is the label cluster_id of metrics.
func (a *API) clusters(q *ask) []item {
	var items []item
	for _, p := range a.pools(q.now) {
		if last := len(items) - 1; last >= 0 && items[last]["id"] == p.cluster {
			items[last]["node_count"] = items[last]["node_count"].(int) + p.nodes
			items[last]["nodepool_count"] = items[last]["nodepool_count"].(int) + 1
			continue
		}
		items = append(items, item{
			"id": p.cluster, "name": p.cluster, "location": scenario.Home, "state": stateRunning, "version": "1.33.4",
			"node_count": p.nodes, "nodepool_count": 1, "created_at": a.built(kindCluster, len(items)),
		})
	}
	return items
}

// slurmClusters lists the Slurm cluster, with what the metrics of the scheduler say.
func (a *API) slurmClusters(q *ask) []item {
	queue := a.config.Scenario.Queue(q.now)
	pending := 0
	for _, n := range queue.Pending {
		pending += n
	}
	return []item{{
		"id": scenario.SlurmCluster, "name": scenario.SlurmCluster, "location": scenario.Home, "state": stateRunning, "version": "25.05.3",
		"node_count":  queue.Allocated + queue.Mixed + queue.Idle + queue.Down + queue.Drained,
		"nodes_alloc": queue.Allocated, "nodes_mixed": queue.Mixed, "nodes_idle": queue.Idle, "nodes_down": queue.Down, "nodes_drain": queue.Drained,
		"jobs_running": queue.Running, "jobs_pending": pending, "created_at": a.built(kindCluster, -1),
	}}
}

// disks lists the shared disks. Id and name are the labels disk_id and disk_name of metrics.
func (a *API) disks(*ask) []item {
	var items []item
	f := a.config.Scenario.Fleet()
	for i, d := range f.SharedDisks() {
		first, end := f.Range(d.NodePool)
		items = append(items, item{
			"id": d.ID, "name": d.Name, "type": "shared", "location": scenario.Home, "size_bytes": int64(scenario.SharedDiskBytes),
			"state": "attached", "attached_to": end - first, "created_at": a.built(kindDisk, i),
		})
	}
	return items
}

// loadBalancers lists the load balancers. A name is the label elb_name of metrics.
func (a *API) loadBalancers(*ask) []item {
	var items []item
	first, end := a.config.Scenario.Fleet().Range(scenario.Serving)
	for i, b := range scenario.LoadBalancers() {
		var listeners []item
		for _, l := range b.Listeners {
			listeners = append(listeners, item{"protocol": l.Protocol, "port": l.Port})
		}
		items = append(items, item{
			"id": fmt.Sprintf("elb-%08x", uint32(scenario.Mix(kindBalancer, uint64(i)))), "name": b.Name, "location": scenario.Home, "state": "active",
			"address": fmt.Sprintf("203.0.113.%d", 10+i), "listeners": listeners, "backend_count": end - first, "created_at": a.built(kindBalancer, i),
		})
	}
	return items
}

// quotas lists what the project may have, and what of it is in use.
func (a *API) quotas(q *ask) []item {
	st, f := a.config.Scenario, a.config.Scenario.Fleet()
	gpus := map[string]int{}
	for _, n := range f.Nodes {
		gpus[productOf(n.GPUModel).name] += f.GPUsPerNode
	}
	jobs := 0
	for _, j := range st.Jobs(q.now, q.now) {
		if j.Created <= q.now && q.now < j.Finished {
			jobs++
		}
	}
	var items []item
	add := func(name, unit string, limit, used float64) {
		items = append(items, item{"id": name, "name": name, "unit": unit, "location": scenario.Home, "limit": limit, "used": used})
	}
	for _, p := range products {
		used := float64(gpus[p.name])
		add("gpus."+p.name, "GPUs", 8*math.Ceil(used*1.25/8), used)
	}
	disks := float64(len(f.SharedDisks()))
	add("storage.shared_disk_bytes", "bytes", 10*scenario.SharedDiskBytes, disks*scenario.SharedDiskBytes)
	add("networking.load_balancers", "load balancers", 10, float64(len(scenario.LoadBalancers())))
	add("fine_tuning.active_jobs", "jobs", 10, float64(jobs))
	return items
}
