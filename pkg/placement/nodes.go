package placement

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gpulabels"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// state is what a node does, or why it can't be had.
type state string

const (
	stateIdle state = "idle"
	// stateUndecided: idle by its GPUs, but some nodes like it are not idle for Slurm, which doesn't say which.
	stateUndecided state = "undecided"
	stateInUse     state = "in use"
	// stateHeld: allocated, and nothing runs on its GPUs.
	stateHeld   state = "allocated, with nothing running"
	stateOut    state = "drained or down"
	stateFaulty state = "faulty"
	// stateSilent: it reported within the past six hours, and doesn't now.
	stateSilent state = "no longer reporting"
)

// node is a node of the project, with one model of GPU.
type node struct {
	cluster, nodePool, model, name string
	// names are all that its labels have, in lower case: schedulers may call it by another than name.
	names map[string]bool
	// gpus is the number of GPUs that report, and earlier the most that reported at an earlier time.
	gpus, earlier float64
	// oldest is the newest sample of the GPU that has not reported for longest, in Unix seconds.
	oldest float64
	// isBusy is true if a GPU is not free.
	isBusy, isFaulty bool
	// reported is whether it reported within the past six hours.
	reported bool
	// owners are the pods that have its GPUs, and labeled what the label pod of its GPUs says, which may be the exporter. job is true
	// if a job of a scheduler has a GPU.
	owners, labeled []string
	job             bool
	// slurm is its state for Slurm, and isManaged whether the cluster slurmCluster has it without a state. isOut is true if Kubernetes has taken it out of
	// service.
	slurm            state
	slurmCluster     string
	isManaged, isOut bool
	state            state
}

// pool are the nodes of the project that are scheduled together, with one model of GPU.
type pool struct {
	cluster, nodePool, model string
	// location is that of the cluster, or "" if it is not known. clusterName is how people call it.
	location, clusterName string
	nodes                 []*node
	// excess is how many of the undecided nodes may not be idle. unmatched is true if Slurm's nodes can't be matched with them.
	excess    int
	unmatched bool
}

// ownNodes are the pools of the project. The metrics of a minute are requested once.
func (c *Client) ownNodes(ctx context.Context, q *parsedQuery, notices *query.Notices) ([]*pool, error) {
	result, err := c.Metrics.Instant(ctx, nodesExpr, q.now.Truncate(time.Minute))
	if err != nil {
		return nil, err
	}
	for _, text := range result.Warnings {
		notices.Warn("%s", text)
	}
	f := newFleet()
	for _, frame := range result.Frames() {
		if labels, value, ok := sample(frame); ok {
			f.add(labels, value)
		}
	}
	if len(f.nodes) == 0 && f.hasGPUs {
		notices.Warn("The metric DCGM_FI_DEV_FB_USED is missing, so idle nodes can't be distinguished from those that a job holds. They are not considered.")
	}
	return f.pools(max(c.Interval, time.Minute)), nil
}

// nodeKey tells nodes apart.
type nodeKey struct{ cluster, nodePool, model, name string }

// fleet is what nodesExpr says of all nodes.
type fleet struct {
	nodes map[nodeKey]*node
	// hasGPUs is true if there are GPUs, even without the metrics that make nodes of them.
	hasGPUs bool
	slurm   *slurm
	// renamed are the clusters whose scrapes rename the pods of GPUs.
	renamed map[string]bool
	// kubernetes are nodes with pods that have GPUs, or out of service.
	kubernetes []claim
}

// claim is what a scheduler says of a node: that a pod has some of its GPUs, or, without a pod, that it is out of service.
type claim struct{ cluster, node, pod string }

func newFleet() *fleet {
	return &fleet{nodes: map[nodeKey]*node{}, slurm: newSlurm(), renamed: map[string]bool{}}
}

func (f *fleet) add(labels data.Labels, value float64) {
	part := labels["part"]
	switch part {
	case "used":
		f.hasGPUs = true
		return
	case "pod", "out":
		f.kubernetes = append(f.kubernetes, claim{labels["cluster_id"], labels["node"], cmp.Or(labels["exported_pod"], labels["pod"])})
		return
	case "nodes_idle", "node_cpus", "node_info", "node_job":
		f.slurm.add(part, labels, value)
		return
	}
	names := gpulabels.Hosts(labels)
	if len(names) == 0 {
		return
	}
	key := nodeKey{labels["cluster_id"], labels["nodepool_name"], labels["modelName"], names[0]}
	n := f.nodes[key]
	if n == nil {
		n = &node{cluster: key.cluster, nodePool: key.nodePool, model: key.model, name: names[0], names: map[string]bool{}, oldest: math.Inf(1)}
		f.nodes[key] = n
	}
	for _, name := range names {
		n.names[strings.ToLower(name)] = true
	}
	// One node has several rows of a part if a label of its host was renamed: its GPUs are the same.
	switch part {
	case "gpus":
		n.gpus = math.Max(n.gpus, value)
	case "busy":
		n.isBusy = true
	case "oldest":
		n.oldest = math.Min(n.oldest, value)
	case "faulty":
		n.isFaulty = true
	case "owner":
		n.job = n.job || labels["hpc_job"] != ""
		if pod := labels["exported_pod"]; pod != "" {
			n.owners = append(n.owners, pod)
			f.renamed[n.cluster] = true
		} else if pod := labels["pod"]; pod != "" {
			n.labeled = append(n.labeled, pod)
		}
	default:
		n.earlier = math.Max(n.earlier, value)
		n.reported = n.reported || part == "earlier 30m" || part == "earlier 6h"
	}
}

// pools decides on the state of each node, and returns the pools in order.
func (f *fleet) pools(interval time.Duration) []*pool {
	f.findOwners()
	matcher := newMatcher(f.nodes)
	f.slurm.apply(matcher)
	for _, claim := range f.kubernetes {
		for _, n := range matcher.nodes(claim.cluster, claim.node) {
			if claim.pod == "" {
				n.isOut = true
			} else {
				n.owners = append(n.owners, claim.pod)
			}
		}
	}
	newest := 0.0
	for _, n := range f.nodes {
		if n.gpus > 0 {
			newest = math.Max(newest, n.oldest)
		}
	}
	pools := map[nodeKey]*pool{}
	var sorted []*pool
	for key, n := range f.nodes {
		n.decide(newest-missedScrapes*interval.Seconds(), f.slurm)
		if n.state == "" {
			continue
		}
		key.name = ""
		if pools[key] == nil {
			pools[key] = &pool{cluster: key.cluster, nodePool: key.nodePool, model: key.model}
			sorted = append(sorted, pools[key])
		}
		pools[key].nodes = append(pools[key].nodes, n)
	}
	slices.SortFunc(sorted, func(a, b *pool) int {
		return cmp.Or(strings.Compare(a.cluster, b.cluster), strings.Compare(a.nodePool, b.nodePool), strings.Compare(a.model, b.model))
	})
	f.slurm.reserve(sorted, matcher)
	return sorted
}

// missedScrapes is how many scrape intervals a sample counts for: one or two scrapes may be missed.
const missedScrapes = 3

// decide sets the state. since is the time in Unix seconds before which the newest sample of a GPU is too old. A node that has not reported
// for long has none.
func (n *node) decide(since float64, s *slurm) {
	hasPod := slices.ContainsFunc(n.owners, func(pod string) bool { return !s.names[pod] })
	switch {
	case n.gpus == 0 && !n.reported:
	case n.gpus == 0 || n.oldest < since:
		n.state = stateSilent
	case n.isFaulty || n.gpus < n.earlier:
		n.state = stateFaulty
	case n.isOut || n.slurm == stateOut:
		n.state = stateOut
	case n.isBusy:
		n.state = stateInUse
	case n.job || hasPod || n.slurm == stateHeld:
		n.state = stateHeld
	default:
		n.state = stateIdle
	}
}

// findOwners takes pods from labels, but for the exporters' own. Where a scrape renames the pods of GPUs to exported_pod, what is left
// as pod is the exporter's.
func (f *fleet) findOwners() {
	for _, n := range f.nodes {
		for _, pod := range n.labeled {
			if !f.renamed[n.cluster] && !gpulabels.IsExporter(pod) {
				n.owners = append(n.owners, pod)
			}
		}
	}
}

// matcher finds nodes by the names that schedulers have for them.
type matcher struct {
	clusters map[string]bool
	// byName are nodes by name, byLabel by its first DNS label, byPod by the pods on their GPUs.
	byName, byLabel, byPod map[string][]*node
}

func newMatcher(nodes map[nodeKey]*node) *matcher {
	m := &matcher{map[string]bool{}, map[string][]*node{}, map[string][]*node{}, map[string][]*node{}}
	for _, n := range nodes {
		m.clusters[n.cluster] = true
		labels := map[string]bool{}
		for name := range n.names {
			m.byName[name] = append(m.byName[name], n)
			if label := gpulabels.ShortHost(name); label != name && !labels[label] {
				labels[label] = true
				m.byLabel[label] = append(m.byLabel[label], n)
			}
		}
		for _, pod := range n.owners {
			m.byPod[pod] = append(m.byPod[pod], n)
		}
	}
	return m
}

// nodes are those of a name in a cluster. Either side may have only the first DNS label of the other's name, and the worker of a
// Slurm cluster on Kubernetes is called as its pod. A cluster that the GPUs don't know, or none, says nothing; what is then said
// of a name that several clusters have holds for all of them, because it is a reason not to use a node.
func (m *matcher) nodes(cluster, name string) []*node {
	name = strings.ToLower(name)
	var found []*node
	for _, by := range []struct {
		nodes map[string][]*node
		name  string
	}{{m.byName, name}, {m.byLabel, name}, {m.byName, gpulabels.ShortHost(name)}, {m.byPod, name}} {
		if found = by.nodes[by.name]; len(found) > 0 && by.name != "" {
			break
		}
	}
	isElsewhere := cluster != "" && m.clusters[cluster]
	return slices.DeleteFunc(slices.Clone(found), func(n *node) bool { return isElsewhere && n.cluster != "" && n.cluster != cluster })
}

func (p *pool) id() poolID { return poolID{p.cluster, p.nodePool} }

// name is the pool as people call it. label is one that stays the same if names can't be read.
func (p *pool) name() string  { return joined(cmp.Or(p.clusterName, p.cluster), p.nodePool) }
func (p *pool) label() string { return joined(p.cluster, p.nodePool) }

func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " / ")
}

// in are the nodes in a state, sorted by GPUs and name.
func (p *pool) in(states ...state) []*node {
	nodes := slices.DeleteFunc(slices.Clone(p.nodes), func(n *node) bool { return !slices.Contains(states, n.state) })
	slices.SortFunc(nodes, func(a, b *node) int { return cmp.Or(cmp.Compare(a.gpus, b.gpus), strings.Compare(a.name, b.name)) })
	return nodes
}

// usable are the idle nodes that can be had without doubt. Of undecided nodes those are taken that have the fewest GPUs.
func (p *pool) usable() []*node {
	if p.unmatched {
		return nil
	}
	perhaps := p.in(stateUndecided)
	return append(p.in(stateIdle), perhaps[:max(0, len(perhaps)-p.excess)]...)
}

// sample is a number of a vector. Numbers that are not finite are none.
func sample(frame *data.Frame) (data.Labels, float64, bool) {
	if len(frame.Fields) != 2 || frame.Fields[1].Type() != data.FieldTypeFloat64 || frame.Rows() != 1 {
		return nil, 0, false
	}
	value := frame.Fields[1].At(0).(float64)
	return frame.Fields[1].Labels, value, !math.IsNaN(value) && !math.IsInf(value, 0)
}
