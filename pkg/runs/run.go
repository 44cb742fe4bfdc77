package runs

import (
	"slices"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

// Run is a training run.
type Run struct {
	// ID identifies the run in queries; Name is shown.
	ID, Name string
	// Status is that of the job, or running or ended.
	Status string
	Start  time.Time
	// End is that of the run, or the present while it is running.
	End     time.Time
	Running bool
	// Labels are what is known about the run, for selectors and tables.
	Labels map[string]string
	// own are the labels that select the run's own series, for runs of series.
	own map[string]string
	// job is the job of a run of the fine-tuning gateway, else nil.
	job *tuning.Run
	gpus
	window window
}

// length is at least a second, so that it can be a duration of PromQL.
func (r *Run) length() time.Duration {
	return max(r.End.Sub(r.Start).Truncate(time.Second), time.Second)
}

const (
	statusRunning = "running"
	statusEnded   = "ended"
)

// newestFirst sorts runs by start, then id.
func newestFirst(runs []*Run) {
	slices.SortStableFunc(runs, func(a, b *Run) int {
		if order := b.Start.Compare(a.Start); order != 0 {
			return order
		}
		return strings.Compare(a.ID, b.ID)
	})
}

// distinguish makes names unique, by the start or, where that is the same, by the id.
func (q *parsedQuery) distinguish(runs []*Run) {
	byName := map[string][]*Run{}
	for _, run := range runs {
		byName[run.Name] = append(byName[run.Name], run)
	}
	for name, same := range byName {
		if len(same) == 1 {
			continue
		}
		q.notices.Info("%d runs are named %q. Their starts are added to tell them apart.", len(same), query.Shorten(name))
		starts := map[time.Time]int{}
		for _, run := range same {
			starts[run.Start.Truncate(time.Minute)]++
		}
		for _, run := range same {
			at := run.Start.Truncate(time.Minute)
			run.Name += " · " + at.Format("2006-01-02 15:04")
			if starts[at] > 1 {
				run.Name += " · " + run.ID
			}
		}
	}
}

// choose keeps the runs with the ids of the query.
func (q *parsedQuery) choose(runs []*Run) []*Run {
	if q.Runs.Blank {
		q.notices.Warn("Runs: the variable has no value, so nothing is chosen.")
		return nil
	}
	if q.Runs.All() {
		return runs
	}
	wanted := map[string][]string{}
	for _, id := range q.Runs.Values {
		series := seriesOf(id)
		wanted[series] = append(wanted[series], id)
	}
	var chosen []*Run
	matched := map[string]bool{}
	for _, run := range runs {
		ids := wanted[seriesOf(run.ID)]
		if i := slices.IndexFunc(ids, run.is); i >= 0 {
			matched[ids[i]] = true
			chosen = append(chosen, run)
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(q.Runs.Values), func(id string) bool { return matched[id] })
	if len(unknown) > 0 {
		q.notices.Warn("No run in this range has the id %s.", query.List(unknown))
	}
	return chosen
}

// seriesOf is an id without the time that tells apart the runs of a series, in lower case.
func seriesOf(id string) string {
	series, _, _ := strings.Cut(strings.ToLower(id), partMark)
	return series
}

// is reports whether an id means this run. That of a series may have a time: which of its runs is meant, if there are several in
// some ranges and one in others.
func (r *Run) is(id string) bool {
	if strings.EqualFold(id, r.ID) {
		return true
	}
	if r.own == nil || seriesOf(id) != seriesOf(r.ID) {
		return false
	}
	_, start, isPart := strings.Cut(id, partMark)
	at, err := time.Parse(partTime, start)
	return !isPart || err == nil && !at.Before(r.Start.Add(-time.Minute)) && !at.After(r.End)
}

// limit keeps the newest runs, and says so.
func (q *parsedQuery) limit(runs []*Run, most int) []*Run {
	if len(runs) > most {
		q.notices.Warn("Only the newest %d of %d runs are used. Choose runs, or a shorter range, to see others.", most, len(runs))
		return runs[:most]
	}
	return runs
}
