package scenario

import "fmt"

// NodePool is a group of nodes that works as one: it runs one job at a time, or serves models.
type NodePool int

// The pools, from the largest jobs to the smallest; Serving handles inference requests around the clock.
const (
	Pretraining NodePool = iota
	FineTuning
	Experiments
	Serving

	NodePools = 4
)

// String returns the pool's name, as node pools and Slurm partitions use it.
func (l NodePool) String() string {
	return [NodePools]string{"pretraining", "finetuning", "experiments", "serving"}[l]
}

// Node is one virtual machine with GPUs.
type Node struct {
	Name     string // "gpu-node-0001"
	Cluster  string // id of its managed Kubernetes cluster
	NodePool NodePool
	GPUModel string
}

// GPU names one GPU by the position of its node and its own position on it.
type GPU struct{ Node, Index int }

// nodesPerCluster is where a managed cluster is full and the next one begins.
const nodesPerCluster = 256

// Fleet is the hardware: nodes in pools. The first pool has half of the nodes, the next half of the
// rest, and so on; what is left serves. The pools' nodes are next to one another.
type Fleet struct {
	Nodes       []Node
	GPUsPerNode int
	first       [NodePools + 1]int
}

func newFleet(nodes, gpusPerNode int) *Fleet {
	f := &Fleet{Nodes: make([]Node, nodes), GPUsPerNode: gpusPerNode}
	left := nodes
	for pool := Pretraining; pool < Serving; pool++ {
		share := (left + 1) / 2
		f.first[pool+1] = f.first[pool] + share
		left -= share
	}
	f.first[NodePools] = nodes
	for pool := Pretraining; pool < NodePools; pool++ {
		model := "NVIDIA H100 80GB HBM3"
		if pool == Serving {
			model = "NVIDIA A100-SXM4-80GB"
		}
		for i := f.first[pool]; i < f.first[pool+1]; i++ {
			f.Nodes[i] = Node{
				Name:     fmt.Sprintf("gpu-node-%04d", i+1),
				Cluster:  fmt.Sprintf("cluster-%02d", i/nodesPerCluster+1),
				NodePool: pool,
				GPUModel: model,
			}
		}
	}
	return f
}

// Range returns the positions of the pool's nodes: from first up to, not including, end.
// A small fleet leaves the last pools empty.
func (f *Fleet) Range(pool NodePool) (first, end int) { return f.first[pool], f.first[pool+1] }
