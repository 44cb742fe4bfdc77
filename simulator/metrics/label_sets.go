package metrics

import (
	"fmt"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// labelSets holds what the families measure: the scenario, and the axes made from its fleet once.
type labelSets struct {
	scenario *scenario.Scenario
	fleet    *scenario.Fleet

	collection Collection

	gpus      axis // a point a GPU
	pools     axis // a point a node, with the labels of the GPU families' rollups
	nodes     axis // a point a node
	hosts     axis // a point a node, by vm_name and cluster_id only
	disks     axis // a point a shared disk
	balancers axis // a point a load balancer's port
	cluster   axis // the Slurm cluster
	trainers  axis // a point a pod that trains; they come and go
}

// window is the time that a query reads, in Unix milliseconds, both ends included, and what the scenario
// has for it.
type window struct {
	from, to int64
	failures map[int][]scenario.NodeFailure // by node
	jobs     []scenario.Job                 // that held GPUs
}

// look reads a window of the scenario.
func (w *labelSets) look(from, to int64) window {
	win := window{from: from, to: to}
	for _, i := range w.scenario.NodeFailures(w.scenario.Begin(), to) {
		if win.failures == nil {
			win.failures = map[int][]scenario.NodeFailure{}
		}
		win.failures[i.GPU.Node] = append(win.failures[i.GPU.Node], i)
	}
	for _, j := range w.scenario.Jobs(from, to) {
		if j.Started > 0 && j.Started <= to {
			win.jobs = append(win.jobs, j)
		}
	}
	return win
}

func newLabelSets(st *scenario.Scenario) *labelSets {
	w := &labelSets{scenario: st, fleet: st.Fleet()}
	w.fleetAxes()
	w.sharedAxes()
	w.podAxes()
	return w
}

func (w *labelSets) fleetAxes() {
	var gpus, pools, nodes, hosts [][]string
	for i, n := range w.fleet.Nodes {
		pools = append(pools, []string{n.Cluster, n.Name, n.NodePool.String(), n.Name})
		nodes = append(nodes, []string{n.Cluster, n.Name, n.Name})
		hosts = append(hosts, []string{n.Cluster, n.Name})
		for g := range w.fleet.GPUsPerNode {
			gpus = append(gpus, []string{uuid(i, g), n.Cluster, strconv.Itoa(g), n.Name, n.GPUModel, n.NodePool.String(), n.Name})
		}
	}
	axisOf := func(points [][]string, apply func(*series, int, window), names ...string) axis {
		return axis{names: names, points: func(window) [][]string { return points }, apply: apply}
	}
	w.gpus = axisOf(gpus, func(s *series, i int, win window) {
		w.setNode(s, i/w.fleet.GPUsPerNode, win)
		w.becomeGPU(s, i)
	}, "UUID", "cluster_id", "gpu", "instance", "modelName", "nodepool_name", "vm_name")
	w.pools = axisOf(pools, w.setNode, "cluster_id", "instance", "nodepool_name", "vm_name")
	w.nodes = axisOf(nodes, w.setNode, "cluster_id", "instance", "vm_name")
	w.hosts = axisOf(hosts, w.setNode, "cluster_id", "vm_name")
}

func (w *labelSets) setNode(s *series, i int, win window) {
	s.node, s.pool = i, w.fleet.Nodes[i].NodePool
	s.failures = win.failures[i]
}

// becomeGPU makes a series of the i-th GPU of the fleet, whose node is set.
func (w *labelSets) becomeGPU(s *series, i int) {
	s.gpu = i % w.fleet.GPUsPerNode
	s.hot = scenario.GPU{Node: s.node, Index: s.gpu} == w.scenario.Straggler()
	s.identify(scenario.Mix(0, uint64(i)))
}

// uuid makes the UUID of a GPU in the form that NVIDIA's driver prints.
func uuid(node, gpu int) string {
	a, b := scenario.Mix(uint64(node), uint64(gpu), 1), scenario.Mix(uint64(node), uint64(gpu), 2)
	return fmt.Sprintf("GPU-%08x-%04x-%04x-%04x-%012x", uint32(a), uint16(a>>32), uint16(a>>48), uint16(b), b>>16)
}

// sharedAxes makes the axes of what nodes share: a disk and its nodes belong to one pool.
func (w *labelSets) sharedAxes() {
	var disks, ports [][]string
	shared := w.fleet.SharedDisks()
	for _, d := range shared {
		disks = append(disks, []string{d.ID, d.Name})
	}
	w.disks = fixed([]string{"disk_id", "disk_name"}, disks, func(s *series, i int) { w.setNodePool(s, shared[i].NodePool) })
	for _, b := range scenario.LoadBalancers() {
		for _, l := range b.Listeners {
			ports = append(ports, []string{b.Name, l.Protocol, strconv.Itoa(l.Port)})
		}
	}
	w.balancers = fixed([]string{"elb_name", "proto", "vip_port"}, ports, func(s *series, i int) {
		w.setNodePool(s, scenario.Serving)
		s.scale *= []float64{1, 0.05, 0.12, 0.3}[i]
	})
	w.cluster = fixed([]string{"cluster_id"}, [][]string{{scenario.SlurmCluster}}, func(*series, int) {})
}

func (w *labelSets) setNodePool(s *series, pool scenario.NodePool) {
	first, end := w.fleet.Range(pool)
	s.pool, s.nodes = pool, float64(max(end-first, 1))
}

// podAxes makes the axes of the workloads that export custom metrics.
func (w *labelSets) podAxes() {
	names := []string{"metrics_source", "pod_ip", "pod_name"}
	w.trainers = axis{
		names: append(names[:len(names):len(names)], "model", "nodepool_name"),
		points: func(win window) [][]string {
			var points [][]string
			for _, j := range win.jobs {
				points = append(points, trainer(&j))
			}
			return points
		},
		apply: func(s *series, i int, win window) {
			j := &win.jobs[i]
			s.job, s.pool = j, j.NodePool
			// Not its place among the jobs of this window, which another window may not have.
			s.identify(scenario.Mix(uint64(j.Created), uint64(j.NodePool)))
			s.window.from, s.window.to = max(s.window.from, j.Started), min(s.window.to, j.Finished)
		},
	}
}

// trainer returns the labels of a job's custom metrics: those of its pod, and those that its program adds.
func trainer(j *scenario.Job) []string {
	return append(pod("train-"+j.Name+"-0", scenario.Mix(uint64(j.Created))), j.Model, j.NodePool.String())
}

// pod returns the labels of a pod's custom metrics, by name.
func pod(name string, hash uint64) []string {
	return []string{"custom-metrics", fmt.Sprintf("10.42.%d.%d", (hash>>8)%250, 2+hash%250), name}
}
