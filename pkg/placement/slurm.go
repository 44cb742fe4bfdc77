package placement

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// slurm is what the metrics of Slurm say of nodes, by the cluster in their labels.
//
// Some exporters have the state of each node as a label. The platform's families count the nodes in each state and don't name
// them: of the nodes that a cluster has, those that use their GPUs are taken not to be idle, and all others that are not idle
// for Slurm may be among those that look idle by their GPUs.
type slurm struct {
	// names are those of all nodes.
	names map[string]bool
	// nodes are the states of nodes, stateUndecided if only the name is known.
	nodes map[slurmNode]state
	// idle is how many nodes of a cluster are idle.
	idle map[string]float64
	// matched is whether a node of a cluster has been found among those with GPUs.
	matched map[string]bool
	// excess is how many nodes of a cluster are not idle, of those without a state that look idle by their GPUs or have none.
	excess map[string]int
}

// slurmNode is a node of a Slurm cluster.
type slurmNode struct{ cluster, name string }

func newSlurm() *slurm {
	return &slurm{map[string]bool{}, map[slurmNode]state{}, map[string]float64{}, map[string]bool{}, map[string]int{}}
}

func (s *slurm) add(family string, labels data.Labels, value float64) {
	cluster := labels["cluster_id"]
	s.matched[cluster] = false
	if family == "nodes_idle" {
		// A node can be in several partitions, so at least as many are idle as in the partition with most.
		s.idle[cluster] = math.Max(s.idle[cluster], value)
		return
	}
	if name := cmp.Or(labels["node_name"], labels["node"]); name != "" {
		s.names[name] = true
		key := slurmNode{cluster, name}
		s.nodes[key] = worse(s.nodes[key], stateOf(family, labels))
	}
}

// worse is what counts of two things that Slurm's metrics say of a node, where labels have just changed, or several clusters have
// nodes of this name: the one that is a better reason not to use it.
func worse(a, b state) state {
	order := []state{stateUndecided, stateIdle, stateHeld, stateOut}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

// allocatedStates are Slurm's states of nodes with a job or promised to one.
//
// Source: https://slurm.schedmd.com/sinfo.html, node state codes
var allocatedStates = []string{"allocated", "alloc", "mixed", "mix", "completing", "comp", "reserved", "resv", "planned", "plnd"}

// stateOf is the state of a node by the labels of its series: that of the platform's node_cpus, of node_info, or of node_cpu_total. A node with a
// job is held. A state with a flag, such as idle+drain, is one in which it can't be used.
//
// Source: https://github.com/nebius/soperator, docs/slurm-exporter.md, and node.go of https://github.com/vpenso/prometheus-slurm-exporter
func stateOf(family string, labels data.Labels) state {
	if family == "node_job" {
		return stateHeld
	}
	for name, value := range labels {
		if (strings.HasPrefix(name, "state_is_") || name == "is_unavailable") && strings.EqualFold(value, "true") {
			return stateOut
		}
	}
	switch base := strings.ToLower(cmp.Or(labels["state_base"], labels["state"], labels["status"])); {
	case base == "":
		return stateUndecided
	case base == "idle":
		return stateIdle
	case slices.Contains(allocatedStates, base):
		return stateHeld
	}
	return stateOut
}

// apply tells the nodes with GPUs what Slurm says of them.
func (s *slurm) apply(m *matcher) {
	for key, found := range s.nodes {
		nodes := m.nodes(key.cluster, key.name)
		s.matched[key.cluster] = s.matched[key.cluster] || len(nodes) > 0
		for _, n := range nodes {
			if n.slurm = worse(n.slurm, found); found == stateUndecided {
				n.slurmCluster = key.cluster
			}
		}
		switch {
		case found == stateIdle:
			s.idle[key.cluster]--
		case found == stateUndecided && len(nodes) == 0:
			s.excess[key.cluster]++
		}
	}
}

// reserve makes idle nodes undecided of which some are not idle for Slurm, and finds pools whose nodes can't be matched with Slurm's.
func (s *slurm) reserve(pools []*pool, m *matcher) {
	for _, p := range pools {
		for _, n := range p.nodes {
			if n.slurm == stateUndecided && n.state != stateInUse && n.state != stateHeld {
				s.excess[n.slurmCluster]++
			}
		}
	}
	for cluster, idle := range s.idle {
		s.excess[cluster] -= int(math.Max(0, idle))
	}
	for _, p := range pools {
		looksIdle := map[string]int{}
		isSlurm := false
		for _, n := range p.nodes {
			isSlurm = isSlurm || n.slurm != ""
			if n.slurm == stateUndecided && n.state == stateIdle && s.excess[n.slurmCluster] > 0 {
				n.state = stateUndecided
				looksIdle[n.slurmCluster]++
			}
		}
		for cluster, nodes := range looksIdle {
			p.excess += min(nodes, s.excess[cluster])
		}
		for cluster, isMatched := range s.matched {
			p.unmatched = p.unmatched || !isMatched && (p.cluster == cluster || !m.clusters[cluster] && !isSlurm)
		}
	}
}
