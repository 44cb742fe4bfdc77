package placementtest

import (
	"fmt"
	"math/rand/v2"
)

// World is a platform and a project on it.
type World struct {
	Wanted int
	Places []Place
	Quotas []Quota
	Nodes  []Node
	// Types and Locations are what the query chooses; nil for all.
	Types, Locations []string
	// QuotaList, Capacities and Metrics are how these are served.
	QuotaList, Capacities, Metrics Service
	// QuotaShape is one of the shapes of lists of quotas, from 0.
	QuotaShape int
	// HasTypes and HasClusters are whether there are lists of machine types and of clusters.
	HasTypes, HasClusters bool
	// HasStates is true if Slurm's exporter labels nodes with their states.
	HasStates bool
	// CPUNodes is the number of nodes without GPUs that Slurm manages, all of them idle.
	CPUNodes int
}

// Service is how something is served.
type Service int

// The ways in which something is served. NotUnderstood is another shape, for quotas only.
const (
	Served Service = iota
	NotServed
	Fails
	NotUnderstood
)

// Place is a GPU type at a location.
type Place struct {
	Type, Model, Location string
	Free                  int
	Sizes                 []Size
}

// Size is a machine type: how many GPUs a machine has.
type Size struct {
	Name string
	GPUs int
	// IsKnown is false if the platform doesn't say how many machines there are.
	IsKnown bool
	// IsOdd is true if the name doesn't have the number of GPUs.
	IsOdd bool
}

// Quota is what the project may still take.
type Quota struct {
	// Type is a GPU type, or "" for all. Location is a location or region, or "" for all.
	Type, Location string
	Left, Used     int
	// OfMachines is true if Left counts machines.
	OfMachines bool
}

// Node is a node of the project.
type Node struct {
	Name, Pool, Model string
	GPUs, Busy        int
	// Holds is true if a process holds memory on a GPU without computing.
	Holds, Faulty bool
	// Slurm is true if Slurm manages the node, and IsIdle whether it is idle there.
	Slurm, IsIdle bool
	// Silent is true if the node stopped reporting two hours ago.
	Silent bool
}

// The cluster of all nodes, and where it is.
const (
	Cluster         = "cluster-9"
	ClusterLocation = "us-east1-a"
)

var (
	gpuTypes = [][2]string{
		{"h100-80gb-sxm", "NVIDIA H100 80GB HBM3"}, {"h100-94gb-nvl", "NVIDIA H100 NVL"}, {"a100-40gb", "NVIDIA A100-SXM4-40GB"},
		{"a100-80gb", "NVIDIA A100-SXM4-80GB"}, {"l40s", "NVIDIA L40S"}, {"mi300x", "AMD Instinct MI300X"}, {"h200", "NVIDIA H200"},
	}
	locations = []string{"us-east1-a", "us-east1-b", "us-west1-a", "eu-north1-a"}
)

// New makes the world of a seed.
func New(seed uint64) *World {
	r := rand.New(rand.NewPCG(seed, 18)) //nolint:gosec // the worlds are to be the same each time
	w := &World{
		Wanted: pick(r, 1, 2, 4, 7, 8, 12, 16, 24, 32, 64), QuotaShape: r.IntN(4), HasTypes: chance(r, 0.6), HasClusters: chance(r, 0.6),
		QuotaList: pick(r, Served, Served, Served, Served, Served, Served, NotServed, Fails, NotUnderstood),
		Metrics:   pick(r, Served, Served, Served, Served, NotServed, Fails), Capacities: pick(r, Served, Served, Served, Served, Served, Served, NotServed, Fails),
		CPUNodes: pick(r, 0, 0, 3), HasStates: chance(r, 0.2),
	}
	order := r.Perm(len(gpuTypes))[:1+r.IntN(4)]
	for _, i := range order {
		w.addType(r, gpuTypes[i][0], gpuTypes[i][1])
	}
	if chance(r, 0.3) {
		w.Quotas = append(w.Quotas, Quota{Left: r.IntN(100), Used: r.IntN(9)})
	}
	if chance(r, 0.3) {
		w.Places = append(w.Places, Place{"NVIDIA B200", "NVIDIA B200", locations[0], 24, []Size{{"big", 8, true, true}}})
	}
	w.addNodes(r, order)
	if chance(r, 0.25) {
		w.Types = []string{gpuTypes[order[0]][0]}
	}
	if chance(r, 0.25) {
		w.Locations = []string{pick(r, locations...)}
	}
	return w
}

func (w *World) addType(r *rand.Rand, gpu, model string) {
	machines := chance(r, 0.15)
	quota := func(location string) {
		w.Quotas = append(w.Quotas, Quota{gpu, location, pick(r, 0, 0, 3, 8, 12, 16, 40, 64, 200), r.IntN(20), machines})
	}
	switch kind := r.Float64(); {
	case kind < 0.25:
		quota("")
	case kind < 0.4:
		quota("us-east1")
	}
	for _, location := range locations {
		if chance(r, 0.4) {
			continue
		}
		p := Place{Type: gpu, Model: model, Location: location, Free: pick(r, 0, 1, 5, 8, 13, 16, 31, 64, 100)}
		for _, size := range []int{1, 2, 4, 8} {
			if size == 8 || chance(r, 0.5) {
				p.Sizes = append(p.Sizes, Size{fmt.Sprintf("%s.%dx", gpu, size), size, chance(r, 0.95), false})
			}
		}
		w.Places = append(w.Places, p)
		if chance(r, 0.5) {
			quota(location)
		}
	}
}

func (w *World) addNodes(r *rand.Rand, order []int) {
	for pool := range r.IntN(4) {
		model := gpuTypes[order[r.IntN(len(order))]][1]
		isSlurm := chance(r, 0.6)
		for i := range 1 + r.IntN(4) {
			n := Node{
				Name: fmt.Sprintf("node-%d-%d", pool, i), Pool: fmt.Sprintf("pool-%d", pool), Model: model, GPUs: pick(r, 4, 8, 8),
				Slurm: isSlurm, Holds: chance(r, 0.1), Faulty: chance(r, 0.1), Silent: chance(r, 0.1),
			}
			if chance(r, 0.4) {
				n.Busy = 1 + r.IntN(n.GPUs)
			}
			// What uses its GPUs is no idle node for Slurm, nor is one that is gone.
			n.IsIdle = n.looksIdle() && chance(r, 0.75)
			w.Nodes = append(w.Nodes, n)
		}
	}
}

// looksIdle reports whether the GPU metrics show no use.
func (n Node) looksIdle() bool { return n.Busy == 0 && !n.Holds && !n.Silent }

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }
