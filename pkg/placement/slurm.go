package placement

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// slurm is what the metrics of Slurm say of nodes.
//
// Some exporters have the state of each node as a label. The platform's families count the nodes in each state and don't name
// them: of the nodes that a cluster manages, those that use their GPUs are taken not to be idle, and all others that are not idle
// for Slurm may be among those that look idle by their GPUs.
type slurm struct {
	// names are those of all nodes.
	names map[string]bool
	// nodes are the states of nodes, "" if only the name is known.
	nodes map[slurmNode]state
	// idle is how many nodes of a cluster are idle.
	idle map[string]float64
	// matched is whether a node of a cluster has been found among those with GPUs, by cluster.
	matched map[string]bool
	// others is how many nodes without a state each cluster has that have not been found, such as nodes without GPUs.
	others map[string]int
}

// slurmNode is a node of a Slurm cluster.
type slurmNode struct{ cluster, name string }

func newSlurm() *slurm {
	return &slurm{names: map[string]bool{}, nodes: map[slurmNode]state{}, idle: map[string]float64{}, matched: map[string]bool{}, others: map[string]int{}}
}

func (s *slurm) add(family string, labels data.Labels, value float64) {
	cluster := labels["cluster_id"]
	if family == "nodes_idle" {
		// A node can be in several partitions, so at least as many are idle as in the partition with most.
		s.idle[cluster] = math.Max(s.idle[cluster], value)
		return
	}
	name := cmp.Or(labels["node_name"], labels["node"])
	if name == "" {
		return
	}
	s.names[name] = true
	key := slurmNode{cluster, name}
	// A node has several states where labels have just changed: one that it can't be used for counts.
	if found := stateOf(family, labels); s.nodes[key] == "" || found != "" && found != stateIdle && s.nodes[key] != stateOut {
		s.nodes[key] = found
	}
}

// Slurm's states of nodes with a job or promised to one, and flags that say nothing about the use of a node.
//
// Source: https://slurm.schedmd.com/sinfo.html, node state codes
var (
	allocatedStates = []string{"allocated", "alloc", "mixed", "mix", "completing", "comp", "reserved", "resv", "planned", "plnd"}
	harmlessFlags   = []string{"cloud", "dynamic_norm", "dynamic_future"}
)

// stateOf is the state of a node by the labels of its series: that of the platform's node_cpus, or of node_info. A node with a job is
// held.
//
// Source: https://github.com/nebius/soperator, docs/slurm-exporter.md
func stateOf(family string, labels data.Labels) state {
	if family == "node_job" {
		return stateHeld
	}
	for name, value := range labels {
		if (strings.HasPrefix(name, "state_is_") || name == "is_unavailable") && strings.EqualFold(value, "true") {
			return stateOut
		}
	}
	words := strings.Split(strings.ToLower(cmp.Or(labels["state_base"], labels["state"], labels["status"])), "+")
	isHarmless := !slices.ContainsFunc(words[1:], func(flag string) bool { return !slices.Contains(harmlessFlags, flag) })
	switch {
	case words[0] == "":
		return ""
	case words[0] == "idle" && isHarmless:
		return stateIdle
	case slices.Contains(allocatedStates, words[0]) && isHarmless:
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
			if found == "" {
				n.isManaged, n.slurmCluster = true, key.cluster
			} else if n.slurm == "" || found == stateOut || found == stateHeld && n.slurm == stateIdle {
				n.slurm = found
			}
		}
		switch {
		case found == stateIdle:
			s.idle[key.cluster]--
		case found == "" && len(nodes) == 0:
			s.others[key.cluster]++
		}
	}
}

// reserve makes idle nodes undecided of which some are not idle for Slurm, and finds pools whose nodes can't be matched with Slurm's.
func (s *slurm) reserve(pools []*pool, m *matcher) {
	// What is left of the nodes that are not known to use their GPUs, less the idle ones.
	excess := s.others
	for _, p := range pools {
		for _, n := range p.nodes {
			if n.counts() && n.state != stateInUse && n.state != stateHeld {
				excess[n.slurmCluster]++
			}
		}
	}
	for cluster, idle := range s.idle {
		excess[cluster] -= int(math.Max(0, idle))
	}
	for _, p := range pools {
		looksIdle := map[string]int{}
		for _, n := range p.nodes {
			if n.counts() && n.state == stateIdle && excess[n.slurmCluster] > 0 {
				n.state = stateUndecided
				looksIdle[n.slurmCluster]++
			}
		}
		for cluster, nodes := range looksIdle {
			p.excess += min(nodes, excess[cluster])
		}
		for _, cluster := range s.clusters() {
			p.unmatched = p.unmatched || !s.matched[cluster] && (p.cluster == cluster || !m.clusters[cluster] && !p.isSlurm())
		}
	}
}

// clusters are all that Slurm's metrics know.
func (s *slurm) clusters() []string {
	found := slices.Collect(maps.Keys(s.idle))
	for key := range s.nodes {
		found = append(found, key.cluster)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// counts reports whether Slurm only counts the node, in one of its states.
func (n *node) counts() bool { return n.isManaged && n.slurm == "" }

// isSlurm reports whether Slurm has nodes of the pool.
func (p *pool) isSlurm() bool {
	return slices.ContainsFunc(p.nodes, func(n *node) bool { return n.isManaged || n.slurm != "" })
}
