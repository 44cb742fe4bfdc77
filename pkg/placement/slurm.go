package placement

import (
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// slurm is what the metrics of Slurm say of nodes: which nodes a cluster manages, and how many of them are in which state.
//
// Slurm's families count the nodes in each state and don't name them. Of the nodes that a cluster manages, those that use their
// GPUs and those whose GPU metrics have stopped are taken not to be idle in Slurm's sense. All other nodes that are not idle may
// be among those that the GPU metrics say to be idle: drained, or given to a job that has not started on the GPUs. Exporters
// that label nodes with their state are believed instead.
type slurm struct {
	// clusters are the ids of Slurm clusters, by node.
	clusters map[string]string
	// states are the states of nodes, where the exporter labels nodes with them.
	states map[string]string
	// counts are the nodes of a cluster in a state: nodes_idle, nodes_drain, nodes_down.
	counts map[string]map[string]int
}

func newSlurm() slurm {
	return slurm{map[string]string{}, map[string]string{}, map[string]map[string]int{}}
}

func (s slurm) add(family string, labels data.Labels, value float64) {
	cluster := labels["cluster_id"]
	if family == "node_cpus" {
		s.clusters[labels["node"]] = cluster
		for _, label := range []string{"state", "status"} {
			if state := strings.ToLower(labels[label]); state != "" {
				s.states[labels["node"]] = state
			}
		}
		return
	}
	if s.counts[cluster] == nil {
		s.counts[cluster] = map[string]int{}
	}
	s.counts[cluster][family] += int(value)
}

// isUnmatched reports whether there are states of nodes and no way to tell whose they are.
func (s slurm) isUnmatched() bool { return len(s.counts) > 0 && len(s.clusters) == 0 }

// reserve takes idle nodes that can't be had from pools: those with a state that says so, and as many as may be in one.
// notIdle are the nodes that use their GPUs or have stopped reporting.
func (s slurm) reserve(pools []*pool, notIdle map[string]bool) {
	unexplained := s.unexplained(notIdle)
	for _, p := range pools {
		var usable []node
		managed := map[string]int{}
		for _, n := range p.idle {
			switch state := s.states[n.name]; {
			case state == "":
				if cluster, isManaged := s.clusters[n.name]; isManaged {
					managed[cluster]++
				}
				usable = append(usable, n)
			case strings.HasPrefix(state, "idle") && !strings.Contains(state, "drain"):
				usable = append(usable, n)
			case isAllocated(state):
				p.busy = append(p.busy, n)
			default:
				p.out = append(p.out, n)
			}
		}
		p.idle = usable
		for cluster, nodes := range managed {
			excess := min(nodes, unexplained[cluster])
			drained := min(excess, s.counts[cluster]["nodes_drain"]+s.counts[cluster]["nodes_down"])
			p.drained += drained
			p.taken += excess - drained
		}
	}
}

// unexplained is how many nodes of each cluster are not idle for Slurm, and not known not to be by their GPUs. Clusters that
// don't say how many nodes are idle are left out.
func (s slurm) unexplained(notIdle map[string]bool) map[string]int {
	left := map[string]int{}
	for name, cluster := range s.clusters {
		if _, known := s.counts[cluster]["nodes_idle"]; known && !notIdle[name] && s.states[name] == "" {
			left[cluster]++
		}
	}
	for cluster := range left {
		left[cluster] = max(0, left[cluster]-s.counts[cluster]["nodes_idle"])
	}
	return left
}

// isAllocated reports whether Slurm has given a node to a job, or reserved it.
func isAllocated(state string) bool {
	return slices.ContainsFunc([]string{"alloc", "mix", "comp", "res", "plan"}, func(prefix string) bool {
		return strings.HasPrefix(state, prefix)
	})
}
