package story

import "fmt"

// Lane is a group of nodes that works as one: it runs one job at a time, or serves models.
type Lane int

// The lanes, from the largest jobs to the smallest; Serving answers inference requests around the clock.
const (
	Pretraining Lane = iota
	FineTuning
	Experiments
	Serving

	Lanes = 4
)

// String returns the lane's name, as node pools and Slurm partitions use it.
func (l Lane) String() string {
	return [Lanes]string{"pretraining", "finetuning", "experiments", "serving"}[l]
}

// Node is one virtual machine with GPUs.
type Node struct {
	Name     string // "gpu-node-0001"
	Cluster  string // id of its managed Kubernetes cluster
	NodePool string
	Lane     Lane
	GPUModel string
}

// GPU names one GPU by the position of its node and its own position on it.
type GPU struct{ Node, Index int }

// nodesPerCluster is where a managed cluster is full and the next one begins.
const nodesPerCluster = 256

// Fleet is the hardware: nodes in lanes. The first lane has half of the nodes, the next half of the
// rest, and so on; what is left serves. The lanes' nodes are next to one another.
type Fleet struct {
	Nodes       []Node
	GPUsPerNode int
	first       [Lanes + 1]int
}

func newFleet(nodes, gpusPerNode int) *Fleet {
	f := &Fleet{Nodes: make([]Node, nodes), GPUsPerNode: gpusPerNode}
	left := nodes
	for lane := Pretraining; lane < Serving; lane++ {
		share := (left + 1) / 2
		f.first[lane+1] = f.first[lane] + share
		left -= share
	}
	f.first[Lanes] = nodes
	for lane := Pretraining; lane < Lanes; lane++ {
		model := "NVIDIA H100 80GB HBM3"
		if lane == Serving {
			model = "NVIDIA A100-SXM4-80GB"
		}
		for i := f.first[lane]; i < f.first[lane+1]; i++ {
			f.Nodes[i] = Node{
				Name:     fmt.Sprintf("gpu-node-%04d", i+1),
				Cluster:  fmt.Sprintf("cluster-%02d", i/nodesPerCluster+1),
				NodePool: lane.String(),
				Lane:     lane,
				GPUModel: model,
			}
		}
	}
	return f
}

// Range returns the positions of the lane's nodes: from first up to, not including, end.
// A small fleet leaves the last lanes empty.
func (f *Fleet) Range(lane Lane) (first, end int) { return f.first[lane], f.first[lane+1] }
