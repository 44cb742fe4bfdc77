package runs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gpulabels"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// attribution is how the GPUs of a run are known.
type attribution string

const (
	// byLabels is a selector with labels of the run, bySelector the same for all runs, and byAll is {}.
	byLabels   attribution = "labels"
	bySelector attribution = "selector"
	byAll      attribution = "all"
	// byPod and byJob are labels of the GPUs with the run's pod or Slurm job.
	byPod attribution = "pod"
	byJob attribution = "hpc_job"
	// byNodes are all GPUs of the nodes of a Slurm job, or of a node in the run's labels.
	byNodes attribution = "nodes"
	// byPool are all GPUs of a node pool in the run's labels.
	byPool  attribution = "pool"
	unknown attribution = "unknown"
)

// allocation is which GPUs a run has, and how that is known.
type allocation struct {
	attribution attribution
	// selector are the label matchers as PromQL. It is empty for all GPUs.
	selector string
	// pieces select some of the GPUs each, where one query can't have all nodes of a job, and else what the selector does.
	pieces []string
	// reason is why the GPUs are unknown, and cut is true if that is a bound.
	reason string
	cut    bool
}

func overLimit(limit int) allocation {
	return allocation{attribution: unknown, cut: true, reason: fmt.Sprintf("what selects them has more bytes than the limit of %d", limit)}
}

// allocated is a run with its GPUs, and the part of it of which there are samples.
type allocated struct {
	run
	allocation
	window window
	// size is how many GPUs it has, or less if these are few.
	size float64
	// large is true if there may be so many that they are counted on a coarser grid, and metered if all of these had a counter of energy whenever
	// they were looked at.
	large, metered bool
}

// window is the part of a run of which the platform has samples. Its end may be before its start.
type window struct{ start, end time.Time }

func (w window) isEmpty() bool         { return w.end.Before(w.start) }
func (w window) length() time.Duration { return max(w.end.Sub(w.start), time.Second) }

// need is what a query needs to know of runs: samples, which GPUs they have, and which labels GPUs have.
type need struct{ samples, gpus, labels bool }

// place says which GPUs runs have, and of which part of each run there are samples. The labels of GPUs say it as well, if no selector
// does.
func (t *task) place(ctx context.Context, runs []run, about need) ([]allocated, *fleet, error) {
	f, oldest := &fleet{}, time.Time{}
	if t.Metrics != nil {
		oldest = t.Metrics.Oldest(t.now)
	}
	if about.samples {
		t.explainWindows(runs, oldest)
	}
	if about.labels || about.gpus && !t.gpus.isSet {
		var err error
		if f, err = t.survey(ctx, runs); err != nil {
			return nil, nil, err
		}
	}
	placed, err := t.allocate(f, runs, oldest)
	if err != nil {
		return nil, nil, err
	}
	if about.gpus {
		t.explainAllocations(placed)
		if len(f.has) > 0 && !f.has["gpu"] {
			t.notices.Warn("GPUs have no label gpu, which tells those of a node apart: all of a node count as one.")
		}
		return placed, f, nil
	}
	for i := range placed {
		if placed[i].attribution == unknown {
			placed[i].attribution = "" // nobody has looked
		}
	}
	return placed, f, nil
}

// allocate says which GPUs runs have. Without a selector these are the GPUs with the labels of the run, or those of its nodes.
func (t *task) allocate(f *fleet, runs []run, oldest time.Time) ([]allocated, error) {
	filters, err := t.Matchers()
	if err != nil {
		return nil, err
	}
	// Runs that are series of NVIDIA's exporter are GPUs with the same labels, of which some have none. A job that lacks a label may have any GPUs.
	var mayBeEmpty []string
	if t.Source.isSeries() && strings.Contains(t.Source.Expr, "DCGM_") {
		mayBeEmpty = t.Source.By.Values
	}
	all := make([]allocated, len(runs))
	for i, r := range runs {
		var a allocation
		if t.gpus.isSet {
			a = t.gpus.of(&r, mayBeEmpty)
		} else {
			a = f.allocation(&r)
		}
		if a.attribution != unknown && len(filters) > 0 {
			narrow := func(selector string) string { return strings.TrimPrefix(selector+", "+matching(filters...), ", ") }
			a.selector = narrow(a.selector)
			for i, piece := range a.pieces {
				a.pieces[i] = narrow(piece)
			}
		}
		if len(a.pieces) == 0 {
			a.pieces = []string{a.selector}
		}
		if len(a.pieces[0]) > maxSelector {
			a = overLimit(maxSelector)
		} else if len(a.selector) > maxGenerated {
			a = overLimit(maxGenerated)
		}
		start, end := r.start, r.end
		if r.running && t.Metrics != nil { // so that queries within a scrape interval are the same
			end = query.Later(end.Truncate(t.resolution()), start.Add(time.Second))
			if start.Equal(t.from) { // the range is as long then, too
				start = start.Truncate(t.resolution())
			}
		}
		all[i] = allocated{run: r, allocation: a, window: window{query.Later(start, oldest), end}}
	}
	return all, nil
}

func unknownGPUs(reason string) allocation { return allocation{attribution: unknown, reason: reason} }

// allocation is the run's GPUs by its labels: the most exact comes first.
func (f *fleet) allocation(r *run) allocation {
	var cluster []*labels.Matcher
	in := "" // what the labels of its cluster's GPUs begin with
	if name := r.labels["cluster_id"]; name != "" {
		cluster = []*labels.Matcher{equal("cluster_id", name)}
		if f.has[name+"/cluster_id"] {
			in = name + "/"
		}
	}
	by := func(how attribution, matchers ...*labels.Matcher) allocation {
		return allocation{attribution: how, selector: matching(append(cluster, matchers...)...)}
	}
	if pod, namespace := r.pod(); pod != "" {
		ofPods := in
		if !f.has[in+"pod"] && !f.has[in+"exported_pod"] { // all are free
			ofPods = ""
		}
		podLabel, namespaceLabel := podLabels(f.has[ofPods+"exported_pod"])
		switch {
		case gpulabels.IsExporter(pod):
			return unknownGPUs("the pod is that of the exporter")
		case f.has[ofPods+podLabel] && namespace != "":
			return by(byPod, equal(podLabel, pod), equal(namespaceLabel, namespace))
		case f.has[ofPods+podLabel]:
			return by(byPod, equal(podLabel, pod))
		}
	}
	if job := r.slurmJob(); job != "" {
		switch {
		case f.has[in+gpulabels.Job] || len(f.jobs[job]) == 0 && f.has[gpulabels.Job]:
			return by(byJob, equal(gpulabels.Job, job))
		case len(f.jobs[job]) > 0 && r.job == nil:
			if reason := f.unsure[r.id]; reason != "" {
				return unknownGPUs(reason)
			}
			return f.onNodes(f.nodesOf(r), f.jobHost)
		}
	}
	for _, name := range gpulabels.NodeLabels() {
		if value := r.labels[name]; value != "" {
			return f.onNodes([]node{{r.labels["cluster_id"], value}}, cmp.Or(f.host, name))
		}
	}
	if pool := cmp.Or(r.labels["nodepool_name"], r.labels["node_pool"]); pool != "" {
		return by(byPool, equal("nodepool_name", pool))
	}
	if pod, _ := r.pod(); pod != "" || r.slurmJob() != "" {
		return f.unnamed("nothing says which they are")
	}
	return unknownGPUs("nothing says which they are")
}

// unnamed are GPUs of which no label says the reason, unless there are no labels because none reported lately.
func (f *fleet) unnamed(reason string) allocation {
	if len(f.has) == 0 {
		reason = "no GPU reported in the ten minutes before the end of the newest run, when their labels are looked at"
	}
	return unknownGPUs(reason)
}

// onNodes are all GPUs of nodes, by a label with their names.
func (f *fleet) onNodes(nodes []node, host string) allocation {
	clusters, names := map[string]bool{}, map[string]bool{}
	for _, n := range nodes {
		clusters[n.cluster] = true
		names[gpulabels.ShortHost(n.name)] = true
	}
	switch {
	case host == "":
		return f.unnamed("no label of the GPUs has the names of its nodes")
	case len(names) == 0:
		return unknownGPUs("no node of its cluster is known to be its own")
	case len(clusters) > 1:
		return unknownGPUs("jobs of several clusters have its id; add cluster_id to the labels that distinguish runs")
	}
	cluster := slices.Sorted(maps.Keys(clusters))
	some := func(names []string) string {
		host := &labels.Matcher{Type: labels.MatchRegexp, Name: host, Value: "(?:" + prom.Alternatives(names) + `)(?:[.:].*)?`}
		if len(cluster) == 1 && cluster[0] != "" && f.has["cluster_id"] {
			return matching(equal("cluster_id", cluster[0]), host)
		}
		return matching(host)
	}
	all := slices.Sorted(maps.Keys(names))
	a := allocation{attribution: byNodes, selector: some(all)}
	for _, names := range cutToFit(all, maxPiece) {
		a.pieces = append(a.pieces, some(names))
	}
	return a
}

// pod is the pod of a run by its labels, with its namespace.
func (r *run) pod() (pod, namespace string) {
	l := r.labels
	return cmp.Or(l["exported_pod"], l["pod"], l["pod_name"]), cmp.Or(l["exported_namespace"], l["namespace"], l["namespace_name"])
}

// slurmJob is the id of a Slurm job by the labels of a run. The job_id of a fine-tuning job is another.
func (r *run) slurmJob() string {
	id := cmp.Or(r.labels["hpc_job"], r.labels["slurm_job_id"])
	if r.job == nil {
		id = cmp.Or(id, r.labels["job_id"])
	}
	return id
}

// explainAllocations says which runs have no known GPUs, and why.
func (t *task) explainAllocations(runs []allocated) {
	byReason, add := map[string][]string{}, map[string]func(string, ...any){}
	var together []string
	for _, r := range runs {
		if r.attribution == byPool && slices.ContainsFunc(runs, func(other allocated) bool {
			return other.id != r.id && other.selector == r.selector && other.start.Before(r.end) && r.start.Before(other.end)
		}) {
			together = append(together, r.name)
		}
		if r.attribution == unknown {
			byReason[r.reason] = append(byReason[r.reason], r.name)
			if add[r.reason] = t.notices.Warn; r.cut {
				add[r.reason] = t.notices.Cut
			}
		}
	}
	if len(together) > 0 {
		t.notices.Warn("%s had a node pool at the same time as another run, and the numbers of each are of all of its GPUs.", query.List(together))
	}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		add[reason](`Which GPUs %s had is not known: %s. So there are no numbers of them. Select GPUs by a label of the run, for example nodepool_name="$node_pool", or all with {}.`,
			query.List(byReason[reason]), reason)
	}
}

// podLabels are the labels with the pod that has a GPU, and its namespace. A scrape without honor_labels renames them, and what is in
// pod is then the exporter's own: https://github.com/NVIDIA/dcgm-exporter/issues/85.
func podLabels(renamed bool) (pod, namespace string) {
	if renamed {
		return "exported_pod", "exported_namespace"
	}
	return "pod", "namespace"
}
