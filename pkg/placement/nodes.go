package placement

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gpulabels"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
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
	// names are all that its labels have, in lower case, and the pods on it: schedulers may call it by another than name.
	names map[string]bool
	// gpus is the number of GPUs that report, and earlier the most that reported at an earlier time. labeled are those without a kernel or a process of
	// which a label says that a pod or a job has them, and notIdle those with one, by the labels of their series without those of a GPU.
	gpus, earlier, labeled float64
	notIdle                map[string]float64
	// oldest is the newest sample of the GPU that has not reported for longest, in Unix seconds.
	oldest float64
	// isJob is true if a job of a scheduler has a GPU, isOut if Kubernetes has taken the node out of service, isRecent if it reported within the
	// past six hours, and isUnclear if a pod has requested GPUs or a job of Slurm may have some, and no label says which.
	isFaulty, isJob, isOut, isRecent, isUnclear bool
	// pods have its GPUs. perhaps are labels of its GPUs, of which pod may be the exporter.
	pods    []string
	perhaps []data.Labels
	// slurm is its state for Slurm, and slurmCluster the cluster that has it without one.
	slurm        state
	slurmCluster string
	state        state
}

// pool are the nodes of the project that are scheduled together, with one model of GPU.
type pool struct {
	cluster, nodePool, model string
	// isSlurm is true if Slurm schedules the nodes, and isOneOfTwo if others of the node pool are not Slurm's.
	isSlurm, isOneOfTwo bool
	// name is the pool as people call it. location is that of the cluster, or "" if it is not known.
	name, location string
	nodes          []*node
	// excess is how many of the undecided nodes may not be idle. unmatched is true if Slurm's nodes can't be matched with them.
	excess    int
	unmatched bool
}

func (p *pool) id() poolID { return poolID{p.cluster, p.nodePool} }

// scheduler is what the name of a pool needs to tell it from the other of its node pool.
func (p *pool) scheduler() string {
	if p.isSlurm && p.isOneOfTwo {
		return ", Slurm"
	}
	return ""
}

// ownNodes are the pools of the project at a time. The metrics of a minute are requested once.
func (c *Client) ownNodes(ctx context.Context, at time.Time, notices *query.Notices) ([]*pool, error) {
	interval := max(c.Interval, time.Minute)
	at = at.Truncate(time.Minute)
	f := &fleet{nodes: map[nodeKey]*node{}, slurm: newSlurm(), renamed: map[[2]string]bool{}, notices: notices}
	queries := nodesQueries(interval, at)
	results := make([]*promql.Result, len(queries))
	group, ctx := panics.NewGroup(ctx)
	for i, q := range queries {
		group.Go(func() (err error) {
			results[i], err = c.Metrics.Evaluate(ctx, q)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, result := range results {
		for _, text := range result.Warnings {
			notices.Warn("%s", text)
		}
		for _, one := range result.Matrix.Series {
			for i, value := range one.Values {
				if !math.IsNaN(value) && !math.IsInf(value, 0) {
					f.add(one.Labels, value, at.Sub(time.UnixMilli(one.Times[i])))
				}
			}
		}
	}
	pools := f.pools(interval)
	if len(pools) == 0 && f.hasGPUs {
		notices.Warn("The metric DCGM_FI_DEV_FB_USED is missing, so idle nodes can't be distinguished from those that a job holds. They are not considered.")
	}
	return pools, nil
}

// nodeKey tells nodes apart.
type nodeKey struct{ cluster, nodePool, model, name string }

// fleet is what nodesQueries say of all nodes.
type fleet struct {
	nodes map[nodeKey]*node
	// hasGPUs is true if there are GPUs, even without the metrics that make nodes of them.
	hasGPUs bool
	notices *query.Notices
	slurm   *slurm
	// renamed are the clusters and jobs of Prometheus whose scrapes rename the pods of GPUs.
	renamed map[[2]string]bool
	// kubernetes are nodes with pods that have GPUs, or out of service.
	kubernetes []claim
}

// claim is what Kubernetes says of a node: that a pod has some of its GPUs, or, without a pod, that it is out of service.
type claim struct{ cluster, node, pod string }

func (f *fleet) add(labels data.Labels, value float64, ago time.Duration) {
	switch part := labels[partLabel]; part {
	case "unnumbered":
		f.notices.Warn("Some nodes have no label gpu and no UUID, which tell their GPUs apart: all of a node count as one.")
	case "any":
		f.hasGPUs = true
	case "pod", "out":
		f.kubernetes = append(f.kubernetes, claim{labels["cluster_id"], labels["node"], cmp.Or(labels["exported_pod"], labels["pod"])})
	case "nodes_idle", "node_cpus", "node_cpu_total", "node_info", "node_job":
		f.slurm.add(part, labels, value)
	default:
		if names := hosts(labels); len(names) > 0 {
			f.node(labels, names).add(part, labels, value, ago)
			f.renamed[scrape(labels)] = f.renamed[scrape(labels)] || labels["exported_pod"] != ""
		}
	}
}

func scrape(labels data.Labels) [2]string { return [2]string{labels["cluster_id"], labels["job"]} }

// hosts are the names of a GPU's node, the best first. An instance is without its port.
func hosts(labels data.Labels) []string {
	var names []string
	for _, label := range gpulabels.NodeLabels() {
		if name := labels[label]; name != "" {
			names = append(names, name)
		}
	}
	if host, _, _ := strings.Cut(labels[model.InstanceLabel], ":"); len(names) == 0 && host != "" {
		names = append(names, host)
	}
	return names
}

// node is the node of a series, by its names.
func (f *fleet) node(labels data.Labels, names []string) *node {
	key := nodeKey{labels["cluster_id"], labels["nodepool_name"], labels["modelName"], names[0]}
	n := f.nodes[key]
	if n == nil {
		n = &node{cluster: key.cluster, nodePool: key.nodePool, model: key.model, name: names[0], names: map[string]bool{}, notIdle: map[string]float64{}, oldest: math.Inf(1)}
		f.nodes[key] = n
	}
	for _, name := range names {
		n.names[strings.ToLower(name)] = true
	}
	return n
}

// add adds a part of nodesQueries at a time. A node has several series of a part if a label of its host was renamed: its GPUs are the same.
func (n *node) add(part string, labels data.Labels, value float64, ago time.Duration) {
	switch part {
	case "gpus", "idle":
		of := strings.Replace(labels.String(), partLabel+"="+part, "", 1)
		n.gpus, n.notIdle[of] = math.Max(n.gpus, value), n.notIdle[of]+value
	case "oldest":
		n.oldest = math.Min(n.oldest, value)
	case "labeled":
		n.labeled = math.Max(n.labeled, value)
	case "faulty":
		n.isFaulty = true
	case "owner":
		n.isJob = n.isJob || labels[gpulabels.Job] != ""
		if pod := labels["exported_pod"]; pod != "" {
			n.pods = append(n.pods, pod)
		} else {
			n.perhaps = append(n.perhaps, labels)
		}
	case "earlier":
		if slices.Contains(earlier, ago) {
			n.earlier = math.Max(n.earlier, value)
			n.isRecent = n.isRecent || ago < earlier[len(earlier)-1]
		}
	}
}

// pools decides on the state of each node, and returns the pools in order.
func (f *fleet) pools(interval time.Duration) []*pool {
	newest := 0.0
	reporting := map[nodeKey]bool{} // without the labels that an upgrade or the platform renames
	for _, n := range f.nodes {
		// Where a scrape renames the pods of GPUs to exported_pod, what is left as pod is the exporter's.
		for _, labels := range n.perhaps {
			if pod := labels["pod"]; pod != "" && !f.renamed[scrape(labels)] && !gpulabels.IsExporter(pod) {
				n.pods = append(n.pods, pod)
			}
		}
		if n.gpus > 0 {
			newest = math.Max(newest, n.oldest)
			reporting[nodeKey{cluster: n.cluster, name: n.name}] = true
		}
	}
	matcher := newMatcher(f.nodes)
	f.slurm.apply(matcher)
	for _, claim := range f.kubernetes {
		for _, n := range matcher.nodes(claim.cluster, claim.node) {
			if claim.pod == "" {
				n.isOut = true
			} else {
				n.isUnclear = n.isUnclear || !slices.Contains(n.pods, claim.pod)
				n.pods = append(n.pods, claim.pod)
			}
		}
	}
	type poolKey struct {
		nodeKey
		isSlurm bool
	}
	pools := map[poolKey]*pool{}
	var sorted []*pool
	for key, n := range f.nodes {
		n.state = n.decide(newest-missedScrapes*interval.Seconds(), f.slurm)
		// Slurm says it of nodes only, and its counts name none, but the exporter of GPUs may name jobs.
		n.isUnclear = n.isUnclear || !n.isJob && (n.slurm != "" || len(f.slurm.matched) > 0 && len(n.pods) == 0)
		if n.state == "" || n.gpus == 0 && reporting[nodeKey{cluster: n.cluster, name: n.name}] {
			continue
		}
		key.name = ""
		of := poolKey{key, n.slurm != ""}
		if pools[of] == nil {
			pools[of] = &pool{cluster: key.cluster, nodePool: key.nodePool, model: key.model, isSlurm: of.isSlurm}
			sorted = append(sorted, pools[of])
		}
		pools[of].nodes = append(pools[of].nodes, n)
	}
	for of, p := range pools {
		p.isOneOfTwo = pools[poolKey{of.nodeKey, !of.isSlurm}] != nil
	}
	slices.SortFunc(sorted, func(a, b *pool) int {
		return cmp.Or(strings.Compare(a.cluster, b.cluster), strings.Compare(a.nodePool, b.nodePool), strings.Compare(a.model, b.model), cmp.Compare(a.scheduler(), b.scheduler()))
	})
	f.slurm.reserve(sorted, matcher)
	return sorted
}

// missedScrapes is how many scrape intervals a sample counts for: one or two scrapes may be missed.
const missedScrapes = 3

// decide is the state of a node. since is the time in Unix seconds before which the newest sample of a GPU is too old. A node that has not
// reported for long has none.
func (n *node) decide(since float64, s *slurm) state {
	hasPod := slices.ContainsFunc(n.pods, func(pod string) bool { return !s.names[pod] })
	switch {
	case n.gpus == 0 && !n.isRecent:
		return ""
	case n.gpus == 0 || n.oldest < since:
		return stateSilent
	case n.isFaulty || n.gpus < n.earlier:
		return stateFaulty
	case n.isOut || n.slurm == stateOut:
		return stateOut
	case n.busy() > 0:
		return stateInUse
	case n.isJob || hasPod || n.slurm == stateHeld:
		return stateHeld
	}
	return stateIdle
}

// matcher finds nodes by the names that schedulers have for them.
type matcher struct {
	clusters map[string]bool
	// byName are nodes by name, and byLabel by its first DNS label.
	byName, byLabel map[string][]*node
}

func newMatcher(nodes map[nodeKey]*node) *matcher {
	m := &matcher{map[string]bool{}, map[string][]*node{}, map[string][]*node{}}
	for _, n := range nodes {
		m.clusters[n.cluster] = true
		for _, pod := range n.pods {
			n.names[strings.ToLower(pod)] = true
		}
		labels := map[string]bool{}
		for name := range n.names {
			m.byName[name] = append(m.byName[name], n)
			labels[gpulabels.ShortHost(name)] = true
		}
		for label := range labels {
			m.byLabel[label] = append(m.byLabel[label], n)
		}
	}
	return m
}

// nodes are those of a name in a cluster. Either side may have only the first DNS label of the other's name, and the worker of a
// Slurm cluster on Kubernetes is called as its pod. A cluster that the GPUs don't know, or none, says nothing; what is then said
// of a name that several clusters have holds for all of them, because it is a reason not to use a node.
func (m *matcher) nodes(cluster, name string) []*node {
	name = strings.ToLower(name)
	found := m.byName[name]
	if len(found) == 0 {
		found = m.byLabel[name]
	}
	if len(found) == 0 {
		found = m.byName[gpulabels.ShortHost(name)]
	}
	isElsewhere := cluster != "" && m.clusters[cluster]
	return slices.DeleteFunc(slices.Clone(found), func(n *node) bool { return isElsewhere && n.cluster != "" && n.cluster != cluster })
}

// in are the nodes in a state, sorted by GPUs and name.
func (p *pool) in(states ...state) []*node {
	nodes := slices.DeleteFunc(slices.Clone(p.nodes), func(n *node) bool { return !slices.Contains(states, n.state) })
	slices.SortFunc(nodes, func(a, b *node) int { return cmp.Or(cmp.Compare(a.gpus, b.gpus), strings.Compare(a.name, b.name)) })
	return nodes
}

// partlyFree are the nodes of which some GPUs are in use and others free, as far as labels say whose each GPU is.
func (p *pool) partlyFree() []*node {
	return slices.DeleteFunc(p.in(stateInUse, stateHeld), func(n *node) bool { return n.free() <= 0 || n.isUnclear })
}

// busy is how many GPUs have a kernel or a process.
func (n *node) busy() float64 { return slices.Max(append(slices.Collect(maps.Values(n.notIdle)), 0)) }

// free is how many GPUs nothing says that anybody has.
func (n *node) free() float64 { return n.gpus - n.busy() - n.labeled }

// usable are the idle nodes that can be had without doubt. Of undecided nodes those are taken that have the fewest GPUs.
func (p *pool) usable() []*node {
	if p.unmatched {
		return nil
	}
	perhaps := p.in(stateUndecided)
	return append(p.in(stateIdle), perhaps[:max(0, len(perhaps)-p.excess)]...)
}
