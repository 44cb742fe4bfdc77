package runs

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gpulabels"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// utilizations are the names of a metric of each GPU, whatever it does: DCGM 4.6 renamed some.
const utilizations = `__name__=~"DCGM_FI_DEV_GPU_UTIL|DCGM_FI_DEV_GPU_UTIL_RATIO"`

// engines are the names of the activity of a GPU's engines, or of those of an instance, and powers those of its power.
const (
	engines = `__name__=~"DCGM_FI_PROF_GR_ENGINE_ACTIVE|DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO"`
	powers  = `__name__=~"DCGM_FI_DEV_POWER_USAGE|DCGM_FI_DEV_BOARD_POWER_WATTS"`
	// energyCounter is in millijoules, since the driver was loaded.
	energyCounter = `__name__="DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"`
)

// gpuNames are metrics of which each GPU has at least one: with MIG it has no utilization, but activity of its engines, or memory alone.
const gpuNames = `__name__=~"DCGM_FI_DEV_FB_USED|DCGM_FI_DEV_GPU_UTIL|DCGM_FI_DEV_GPU_UTIL_RATIO|DCGM_FI_PROF_GR_ENGINE_ACTIVE|DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO"`

// hostLabels may have the node of a GPU: the pod of a worker is its Slurm node in Soperator.
//
// Source: https://github.com/nebius/soperator/blob/main/docs/slurm-exporter.md
var hostLabels = append(gpulabels.NodeLabels(), "exported_pod", model.InstanceLabel)

// fleet is what was asked about the GPUs of all runs at once.
type fleet struct {
	// has are the labels that GPUs have, and the names of their utilization, and of the GPUs of a cluster after its name and a slash.
	has map[string]bool
	// host is the label of a GPU's node.
	host string
	// series are those of the utilization of all GPUs.
	series float64
	// jobs are the nodes of Slurm jobs by id, at any time; own are those of a run, by its id, where there are several runs of a job.
	jobs, own map[string][]node
	// unsure are reasons why the GPUs of runs of Slurm jobs are not known, by the id of the run.
	unsure map[string]string
	// jobHost is the label of GPUs with the names of these nodes.
	jobHost string
}

// survey asks which labels GPUs have, and where the Slurm jobs of the runs ran, with one query each.
func (t *task) survey(ctx context.Context, runs []run) (*fleet, error) {
	f := &fleet{has: map[string]bool{}}
	if len(runs) == 0 {
		return f, nil
	}
	s := t.surveyOf(runs, f)
	if err := s.labels(ctx); err != nil {
		return nil, err
	}
	if t.gpus.isSet {
		return f, nil
	}
	var jobs []string
	lastFirst := slices.SortedStableFunc(slices.Values(runs), func(a, b run) int { return b.end.Compare(a.end) })
	for _, r := range lastFirst {
		if id := r.slurmJob(); id != "" && r.job == nil {
			jobs = append(jobs, id)
		}
	}
	var err error
	if f.jobs, f.jobHost, err = s.nodesOf(ctx, jobs); err != nil {
		return f, err
	}
	if f.own, err = s.ownOf(ctx, runs); err != nil {
		return f, err
	}
	f.unsure, err = s.unsureOf(ctx, runs)
	return f, err
}

// surveyed is a survey under way.
type surveyed struct {
	*task
	fleet  *fleet
	at     time.Time
	window int64 // in milliseconds
}

// surveyOf is a survey about the time of the runs.
func (t *task) surveyOf(runs []run, f *fleet) surveyed {
	from, to := runs[0].start, runs[0].end
	for _, r := range runs {
		from, to = query.Earlier(from, r.start), query.Later(to, r.end)
	}
	at := to.Truncate(t.resolution())
	return surveyed{t, f, at, max(at.Sub(query.Later(from, t.Metrics.Oldest(t.now))), t.resolution()).Milliseconds()}
}

// withJobs adds the names of Slurm jobs to runs of series, and who they are of.
func (t *task) withJobs(ctx context.Context, runs []run) ([]run, error) {
	var ids []string
	for _, r := range runs {
		if id := r.slurmJob(); id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return runs, nil
	}
	s := t.surveyOf(runs, nil)
	infos := map[string][]data.Labels{}
	var parts []part
	for _, matcher := range matchersOf("job_id", ids) {
		parts = append(parts, part{ofIDs, s.ever("cluster_id, job_id, job_name, user_name, slurm_partition", "slurm_job_info", matcher)})
	}
	err := s.ask(ctx, parts, func(_ string, labels data.Labels, _ float64) {
		infos[labels["job_id"]] = append(infos[labels["job_id"]], labels)
	})
	for i := range runs {
		r := &runs[i]
		known := slices.DeleteFunc(slices.Clone(infos[r.slurmJob()]), func(info data.Labels) bool {
			return r.labels["cluster_id"] != "" && info["cluster_id"] != "" && info["cluster_id"] != r.labels["cluster_id"]
		})
		if len(known) == 0 {
			continue
		}
		labels := maps.Clone(r.labels)
		for _, name := range []string{"job_name", "user_name", "slurm_partition"} {
			labels[name] = known[0][name]
			if slices.ContainsFunc(known, func(info data.Labels) bool { return info[name] != labels[name] }) {
				labels[name] = "" // of jobs of several clusters, or it changed
			}
		}
		r.setLabels(labels)
		if name := r.labels["job_name"]; name != "" {
			r.name = query.Cut(name, maxRunName) + " · " + r.name
		}
	}
	return runs, err
}

// ask evaluates parts at the time of the survey, and visits their results.
func (s *surveyed) ask(ctx context.Context, parts []part, visit func(name string, labels data.Labels, value float64)) error {
	for _, one := range (group{parts: parts}).join() {
		result, err := s.Metrics.Evaluate(ctx, promql.New(one.expr).At(s.at))
		if err != nil {
			return err
		}
		for i := range result.Matrix.Series {
			if found := &result.Matrix.Series[i]; len(found.Values) == 1 { // no native histogram, and no text
				visit(found.Labels[nameOfPart], found.Labels, found.Values[0])
			}
		}
	}
	return nil
}

// maxMatcher bounds a matcher with ids, in bytes, unless it has a single one.
const maxMatcher = maxGenerated / 2

// ofIDs is the name of the parts about ids.
const ofIDs = "ids"

// matchersOf are matchers of a label that has one of the ids, each of bounded length.
func matchersOf(label string, ids []string) []string {
	var matchers []string
	for _, some := range cutToFit(ids, maxMatcher) {
		matchers = append(matchers, fmt.Sprintf(`%s=~%q`, label, prom.Alternatives(some)))
	}
	return matchers
}

// cutToFit cuts values where their alternatives would be longer in a pattern than the limit, unless that is one value.
func cutToFit(values []string, limit int) (pieces [][]string) {
	for len(values) > 0 {
		length, n := 0, 0
		for n < len(values) && (n == 0 || length+len(strconv.Quote(regexp.QuoteMeta(values[n]))) <= limit) {
			length += len(strconv.Quote(regexp.QuoteMeta(values[n])))
			n++
		}
		pieces, values = append(pieces, values[:n]), values[n:]
	}
	return pieces
}

// newestOf selects the newest sample of each series of ten minutes before the survey.
func newestOf(matchers string) string { return "last_over_time({" + matchers + "}[10m])" }

// labels finds the labels that GPUs have: those of the busiest of each cluster, which somebody has, and of a MIG instance.
func (s *surveyed) labels(ctx context.Context) error {
	err := s.ask(ctx, []part{
		{"whole", "topk by (cluster_id, __name__) (3, " + newestOf(utilizations) + ")"},
		{"series", "count({" + utilizations + "})"},
		{"parts", "topk by (cluster_id) (1, " + newestOf(gpuNames+`, GPU_I_ID!=""`) + ")"},
	}, func(name string, labels data.Labels, value float64) {
		if name == "series" {
			s.fleet.series = value
			return
		}
		for name, value := range labels {
			for _, name := range []string{name, labels["cluster_id"] + "/" + name} {
				s.fleet.has[name] = s.fleet.has[name] || value != ""
			}
		}
		s.fleet.has[labels["__name__"]] = true
	})
	for _, name := range hostLabels {
		if s.fleet.has[name] && name != "exported_pod" {
			s.fleet.host = name
			break
		}
	}
	return err
}

// sizes sets how many GPUs runs have, as far as there are enough in all for a coarser grid, and with energy whether all have a counter of it. The GPUs
// of runs on one node pool are counted once. A dozen looks cost less than to read all samples.
func (t *task) sizes(ctx context.Context, runs []allocated, f *fleet, energy bool) error {
	var large []run
	var selectors []string
	for i := range runs {
		r := &runs[i]
		if r.large = r.attribution != unknown && f.series*float64(r.window.length()/t.resolution()) > maxGridSamples; r.large {
			large, selectors = append(large, r.run), append(selectors, r.pieces...)
		}
	}
	if len(large) == 0 {
		return nil
	}
	s := t.surveyOf(large, f)
	slices.Sort(selectors)
	selectors = slices.Compact(selectors)
	const looks, counters = 12, "energy of "
	step := max((time.Duration(s.window) * time.Millisecond / looks).Truncate(t.resolution()), t.resolution())
	window := fmt.Sprintf("[%dms:%ds]", s.window, int64(step.Seconds()))
	var parts []part
	for i, selector := range selectors {
		count := func(metric string) string { return "count({" + strings.TrimSuffix(metric+", "+selector, ", ") + "})" }
		gpus, name := count(utilizations), strconv.Itoa(i)
		parts = append(parts, part{name, "max_over_time(" + gpus + window + ")"})
		if energy {
			parts = append(parts, part{counters + name, fmt.Sprintf("min_over_time(((%s or vector(0)) == bool %s)%s)", count(energyCounter), gpus, window)})
		}
	}
	found := map[string]float64{}
	err := s.ask(ctx, parts, func(name string, _ data.Labels, value float64) { found[name] = value })
	for i := range runs {
		r := &runs[i]
		if r.metered = r.large; !r.large {
			continue
		}
		for _, piece := range r.pieces {
			name := strconv.Itoa(slices.Index(selectors, piece))
			r.size += found[name]
			r.metered = r.metered && found[counters+name] == 1
		}
	}
	return err
}
