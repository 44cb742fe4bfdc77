package runs

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

type node struct{ cluster, name string }

// nodeJobs maps Slurm jobs to nodes, which have their name in the label jobNode, as in the states of nodes. Of a node in the state mixed some CPUs
// are left, whether there are GPUs or not. Dashboards and rules have the same, in dashboards/lib/allocation.ts.
const (
	nodeJobs, jobNode = "slurm_node_job", "node_name"
	nodeStates, mixed = "slurm_node_info", `state_base=~"(?i)mixed"`
)

// nodesOf are the nodes of the Slurm job of a run in its cluster and time, and of these the one that a label of the run says, if it does.
func (f *fleet) nodesOf(r *run) []node {
	known := f.jobs[r.slurmJob()]
	if own := f.own[r.id]; own != nil {
		known = own
	}
	cluster, name := r.labels["cluster_id"], r.labels[jobNode]
	return slices.DeleteFunc(slices.Clone(known), func(n node) bool {
		return name != "" && n.name != name || cluster != "" && n.cluster != "" && n.cluster != cluster
	})
}

// ownOf finds the nodes of runs in their own time, where there are several runs of a job: it was tried again later, on other nodes.
func (s *surveyed) ownOf(ctx context.Context, runs []run) (map[string][]node, error) {
	count := map[string]int{}
	for _, r := range runs {
		count[r.series]++
	}
	own := map[string][]node{}
	var parts []part
	of := map[string]string{} // the run of a part
	for _, r := range runs {
		if r.own == nil || count[r.series] < 2 || len(s.fleet.jobs[r.slurmJob()]) < 2 {
			continue
		}
		end := r.end.Add(-s.resolution())
		inItsTime := s.during("last", nodeJobs, matching(equal("job_id", r.slurmJob())), end.Sub(r.start), end)
		name := strconv.Itoa(len(parts))
		parts, of[name] = append(parts, part{name, fmt.Sprintf("group by (cluster_id, %s) (%s)", jobNode, inItsTime)}), r.id
	}
	err := s.ask(ctx, parts, func(name string, l data.Labels, _ float64) {
		own[of[name]] = append(own[of[name]], node{l["cluster_id"], l[jobNode]})
	})
	return own, err
}

// during has the last sample of each series of a metric in a time before an end, or their count.
func (s *surveyed) during(of, metric, matchers string, window time.Duration, end time.Time) string {
	return fmt.Sprintf("%s_over_time(%s{%s}[%dms] offset %dms)", of, metric, matchers, max(window, time.Second).Milliseconds(), max(s.at.Sub(end), time.Millisecond).Milliseconds())
}

// maxSampled is of how many jobs the nodes are compared with the labels of GPUs: ten, as far as their ids are of usual length.
const maxSampled = 10

// nodesOf finds where jobs ran: the nodes by id, and the label of GPUs that has the names of the nodes. The ids are of jobs that ended last first:
// the nodes of others may be gone.
func (s *surveyed) nodesOf(ctx context.Context, ids []string) (map[string][]node, string, error) {
	if len(ids) == 0 {
		return nil, "", nil
	}
	sample := prom.Alternatives(cutToFit(ids[:min(len(ids), maxSampled)], maxSelector)[0])
	sampled := shortHosts(s.ever(jobNode, nodeJobs, fmt.Sprintf(`job_id=~%q`, sample)), jobNode)
	slices.Sort(ids)
	var parts []part
	for _, matcher := range matchersOf("job_id", slices.Compact(ids)) {
		parts = append(parts, part{ofIDs, s.ever("cluster_id, job_id, "+jobNode, nodeJobs, matcher)})
	}
	parts = append(parts, part{ofAll, "count(" + sampled + ")"})
	names, all := utilizations, make([]string, len(hostLabels))
	if s.fleet.has["GPU_I_ID"] {
		names = gpuNames
	}
	for i, label := range hostLabels {
		all[i] = shortHosts(newestOf(names+`, `+label+`!=""`), label)
		parts = append(parts, part{label, among(all[i], sampled)})
	}
	nodes, found := map[string][]node{}, map[string]float64{}
	read := func(name string, l data.Labels, value float64) {
		if name != ofIDs {
			found[name] = value
		} else if one := (node{l["cluster_id"], l[jobNode]}); one.name != "" {
			nodes[l["job_id"]] = append(nodes[l["job_id"]], one)
		}
	}
	err := s.ask(ctx, parts, read)
	best := most(found)
	if err == nil && found[best] < found[ofAll] && len(found) > 2 { // another label has some
		err = s.ask(ctx, []part{{ofAny, among(strings.Join(all, " or "), sampled)}}, read)
	}
	if found[ofAny] > found[best] {
		s.notices.Warn("GPUs of nodes that have their name in another label than %s are left out.", best)
	}
	return nodes, best, err
}

// endsShare is the share of a run at its begin, and at its end, in which nodes are looked for that it does not have there, and movedShare how
// many of its nodes these are at most: with one of ten, GPU-hours are off by a tenth at most.
const endsShare, movedShare = 0.25, 0.1

// unsureOf says why it is not known which GPUs runs of Slurm jobs have, by run: those that were requeued on other nodes, by the nodes that they
// have at their begin and at their end, those on nodes that have other jobs, too, of as many as a matcher takes, and those on one node that was given
// out in part for most of their time: a job of several has as good as always all of each.
func (s *surveyed) unsureOf(ctx context.Context, runs []run) (map[string]string, error) {
	var parts []part
	// The run of a part, and how many nodes it has, or none if it is about other jobs, or ofMixed if it is about CPUs that are left.
	of, all := map[string]string{}, map[string]int{}
	const ofMixed = -1
	for _, r := range runs {
		var own []string
		for _, n := range s.fleet.nodesOf(&r) {
			own = append(own, n.name)
		}
		slices.Sort(own)
		if own = slices.Compact(own); r.job != nil || len(own) == 0 || len(s.fleet.jobs[r.slurmJob()]) == 0 {
			continue
		}
		in := "" // the matcher of the run's cluster
		if cluster := r.labels["cluster_id"]; cluster != "" {
			in = ", " + matching(equal("cluster_id", cluster))
		}
		add := func(nodes int, expr string) {
			name := strconv.Itoa(len(parts))
			of[name], all[name] = r.id, nodes
			parts = append(parts, part{name, "count(" + expr + ")"})
		}
		from := query.Later(r.start, s.Metrics.Oldest(s.now))
		// In the first and the last scrape of a job, that before it or after it may be there, too. One of a minute or two has one between them.
		next := from.Add(s.resolution())
		last := query.Later(r.end.Add(-2*s.resolution()), next.Add(s.resolution()))
		ofOwn := matchersOf(jobNode, cutToFit(own, maxSelector)[0])[0] + in
		add(0, fmt.Sprintf("count by (%[1]s) (group by (%[1]s, job_id) (%[2]s)) > 1", jobNode, s.during("last", nodeJobs, ofOwn, last.Sub(next), last)))
		if len(own) == 1 {
			during := func(of, metric, more string) string { return s.during(of, metric, ofOwn+more, last.Sub(next), last) }
			add(ofMixed, fmt.Sprintf("sum by (%[1]s) (%[2]s) > %[3]d unless on (%[1]s) %[4]s > %[5]s", jobNode, during("count", nodeStates, ", "+mixed), last.Sub(next)/s.resolution()/2,
				during("avg", "slurm_node_cpus_allocated", ""), during("avg", "slurm_node_cpus_idle", "")))
		} else {
			share := max(time.Duration(endsShare*float64(r.end.Sub(from))), 2*s.resolution())
			for _, end := range []time.Time{from.Add(share), r.end} {
				add(len(own), fmt.Sprintf("group by (%s) (%s)", jobNode, s.during("last", nodeJobs, matching(equal("job_id", r.slurmJob()))+in, share, end)))
			}
		}
	}
	unsure := map[string]string{}
	err := s.ask(ctx, parts, func(name string, _ data.Labels, has float64) {
		switch nodes := float64(all[name]); {
		case nodes == 0:
			unsure[of[name]] = "other jobs had its nodes at the same time"
		case nodes == ofMixed && unsure[of[name]] == "":
			unsure[of[name]] = "Slurm gave out a part of its node (mixed), and does not say how many GPUs"
		case nodes-has > movedShare*nodes:
			unsure[of[name]] = "its nodes were not the same all the time; add " + jobNode + " to the labels that distinguish runs"
		}
	})
	return unsure, err
}

// ever is each label set that a metric had at any time of the survey.
func (s *surveyed) ever(by, metric, matchers string) string {
	return fmt.Sprintf("group by (%s) (last_over_time(%s{%s}[%dms]))", by, metric, matchers, s.window)
}

// ofAll and ofAny are the names of the parts with how many nodes there are, and how many of them any label of GPUs has.
const ofAll, ofAny = "all", "any"

// shortHostPattern matches an IPv4 address, or the first label of a DNS name, and what follows, as a regular expression of PromQL; see
// [gpulabels.ShortHost].
const shortHostPattern = `([0-9.]+|[^.:]+)(?:[.:].*)?`

// shortHosts are the first labels of the DNS names of nodes.
func shortHosts(expr, label string) string {
	return fmt.Sprintf(`group by (host) (label_replace(%s, "host", "$1", %q, %q))`, expr, label, shortHostPattern)
}

// among counts the hosts that are some of others.
func among(hosts, others string) string {
	return fmt.Sprintf(`count((%s) and on (host) %s)`, hosts, others)
}

// most is the host label with the highest count; of several, the first.
func most(found map[string]float64) string {
	best := ""
	for _, name := range hostLabels {
		if found[name] > found[best] {
			best = name
		}
	}
	return best
}
