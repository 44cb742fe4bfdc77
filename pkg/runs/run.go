package runs

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// run is a training run as its source knows it.
type run struct {
	// id identifies the run in queries; name is shown, and label is the name in labels of numbers, which nothing that is learned later
	// changes.
	id, name, label string
	// status is that of the job, or running or ended.
	status string
	start  time.Time
	// end is that of the run, or the present while it is running.
	end     time.Time
	running bool
	// labels are what is known about the run, for selectors and tables.
	labels map[string]string
	// own are the labels that select the run's own series, for runs of series, and series is its id without the end.
	own    map[string]string
	series string
	// last is the last sample of such a run, by which its id is made: only of those that are used.
	last time.Time
	// newest is true for the last run of a series.
	newest bool
	// job is the job of a run of the fine-tuning gateway, else nil.
	job *jobs.Run
	// history is what is known of its course, if the query is about that.
	history health.History
}

// length is at least a second, so that it can be a duration of PromQL.
func (r *run) length() time.Duration {
	return max(r.end.Sub(r.start).Truncate(time.Second), time.Second)
}

const (
	statusRunning = "running"
	statusEnded   = "ended"
)

// The bounds of what a run carries into queries and frames, in bytes. Texts of people are much shorter; those of jobs may be of
// any length.
const (
	maxRunName    = 256
	maxLabelValue = 1024
)

// setLabels sets the labels with values that are short, and not empty.
func (r *run) setLabels(labels map[string]string) {
	r.labels = maps.Clone(labels)
	maps.DeleteFunc(r.labels, func(name, value string) bool {
		return value == "" || len(value) > maxLabelValue || len(name) > maxRunName
	})
}

// cut says that something is left out, before more is requested: in an alert rule that is an error.
func (t *task) cut(format string, args ...any) error {
	t.notices.Cut(format, args...)
	if !t.alerting {
		return nil
	}
	return t.notices.Incomplete()
}

// explainCut says that there are more runs than a request is about.
func (t *task) explainCut(all int) {
	if all > t.needs.Most {
		t.notices.Cut("Only the newest %d of %d runs are used. Choose runs, or a shorter range, to see others.", t.needs.Most, all)
	}
}

// newest sorts runs by start, of which those stay that ended last, or go on: a sweep of short ones leaves out no long one that they ran beside. The
// baseline, which may be older, is kept besides.
func (t *task) newest(runs []run) []run {
	if len(runs) > t.needs.Most {
		slices.SortFunc(runs, func(a, b run) int {
			return cmp.Or(b.end.Compare(a.end), b.start.Compare(a.start), strings.Compare(a.id, b.id))
		})
		if i := slices.IndexFunc(runs, t.isBaseline); i >= t.needs.Most {
			runs[t.needs.Most-1] = runs[i]
		}
		runs = runs[:t.needs.Most]
	}
	slices.SortFunc(runs, func(a, b run) int {
		return cmp.Or(b.start.Compare(a.start), b.end.Compare(a.end), strings.Compare(a.id, b.id))
	})
	return runs
}

func (t *task) isBaseline(r run) bool { return !t.baseline.isEmpty() && t.baseline.has(&r) }

// baselineFirst are the indexes of runs in the order in which they are evaluated: a request may be too small for all.
func (t *task) baselineFirst(runs []allocated) []int {
	var order []int
	for i, r := range runs {
		if t.isBaseline(r.run) {
			order = slices.Insert(order, 0, i)
		} else {
			order = append(order, i)
		}
	}
	return order
}

// baselineOf is the index of the baseline, or -1.
func (t *task) baselineOf(runs []run) int {
	if t.baseline.isEmpty() {
		return -1
	}
	i := slices.IndexFunc(runs, t.isBaseline)
	if i < 0 {
		t.notices.Warn("The baseline %s is not among the runs.", query.List(namesOf(t.Baseline)))
	}
	return i
}

// distinguish makes names unique, by the times or, where these are the same, by the ids. A running run of a series keeps its name:
// those before it end, and its own start may be that of the range.
func (t *task) distinguish(runs []run) []run {
	for pass, more := range []func(*run) string{(*run).time, func(r *run) string { return r.id }} {
		byName := map[string][]*run{}
		for i := range runs {
			byName[runs[i].name] = append(byName[runs[i].name], &runs[i])
		}
		for name, same := range byName {
			if len(same) == 1 {
				continue
			}
			if pass == 0 {
				t.notices.Info("%d runs are named %q. Their times are added to tell them apart.", len(same), query.Shorten(name))
			}
			for _, r := range same {
				if added := more(r); added != "" {
					r.name += " · " + added
				}
			}
		}
	}
	return runs
}

// minutes is the format of times in names, which are the same for everybody.
const minutes = "2006-01-02 15:04 UTC"

// time tells apart runs of one name: the start, or the end of a run of a series.
func (r *run) time() string {
	switch {
	case r.own == nil:
		return r.start.Format(minutes)
	case r.running:
		return ""
	}
	return "until " + r.end.Format(minutes)
}

// chosenIDs are the ids of the runs of the query with that of the baseline, which is part of a comparison also if it is not ticked.
// Without any, all runs are chosen.
func (o *options) chosenIDs() []string {
	ids := o.Runs.Values
	if baseline := strings.TrimSpace(o.Baseline); len(ids) > 0 && baseline != "" && !slices.Contains(ids, baseline) {
		ids = append(slices.Clone(ids), baseline)
	}
	return ids
}

// explainUnknown names the chosen runs that were not found.
func (t *task) explainUnknown() {
	unknown := t.chosen.unseen(t.Runs.Values)
	switch {
	case len(unknown) == 0:
	case t.Source.isJobs():
		t.notices.Warn("There is no run of %s: not started yet, not known, or left out by another option.", query.List(unknown))
	default:
		t.notices.Warn("No run in this range is %s.", query.List(namesOf(unknown...)))
	}
}

// namesOf are the names of runs by their ids: those of a part of a series are written as in tables.
func namesOf(ids ...string) []string {
	names := slices.Clone(ids)
	for i, id := range ids {
		if series, at, isPart := cutPart(id); isPart {
			names[i] = series + " · until " + at.Format(minutes)
		}
	}
	return names
}
