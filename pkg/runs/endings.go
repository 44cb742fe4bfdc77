package runs

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

const (
	// endingJobs is how many jobs that succeeded say what follows the last step, the newest of endingDays. Of others, nine of eleven take a time
	// between the shortest and the longest of ten.
	endingJobs, endingDays = 10, 7
	// mostEndings is how many are remembered.
	mostEndings = 1000
)

// ending is what a job took after its last step.
type ending struct {
	model string
	at    time.Time
	took  time.Duration
}

// endings are remembered, because the events of a job take many requests.
type endings struct {
	lock  sync.Mutex
	byJob map[string]ending
}

func (e *endings) has(job string) bool {
	e.lock.Lock()
	defer e.lock.Unlock()
	_, ok := e.byJob[job]
	return ok
}

func (e *endings) add(job string, one ending) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.byJob == nil || len(e.byJob) >= mostEndings {
		e.byJob = map[string]ending{}
	}
	e.byJob[job] = one
}

// newest are those until a time, the newest first.
func (e *endings) newest(until time.Time) []ending {
	e.lock.Lock()
	defer e.lock.Unlock()
	var all []ending
	for _, one := range e.byJob {
		if !one.at.After(until) && one.at.After(until.AddDate(0, 0, -endingDays)) {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b ending) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.took, b.took)) })
	return all[:min(len(all), endingJobs)]
}

// readEndings are what the newest jobs took after their last step, whatever jobs the query selects.
func (t *task) readEndings(ctx context.Context) []ending {
	known := &t.endings
	succeeded, _, err := t.Jobs.Runs(ctx, jobs.RunFilters{
		Statuses: query.NewChoices([]string{"succeeded"}), From: t.end().AddDate(0, 0, -endingDays), To: t.end(), Samples: true, Steps: true,
		Most: endingJobs, LeaveOut: known.has,
	})
	if err != nil {
		t.notices.Warn("What jobs take after their last step is not known, so they finish later than estimated: %s", err)
	}
	for _, job := range succeeded {
		if job.End == nil || job.End.After(t.end()) || job.TotalSteps == nil {
			continue
		}
		made := health.Progress{Points: t.points(job.Steps), Total: *job.TotalSteps}.MadeAt()
		if took := job.End.Sub(made); !made.IsZero() && took > 0 {
			known.add(job.ID, ending{job.Model, *job.End, took})
		}
	}
	return known.newest(t.end())
}

// endingOf is what a job of a model will take after its last step: as those of its model, if there are two, and within what all took. Larger models
// take longer to save and to load.
func endingOf(all []ending, model string) health.Interval {
	durations := func(of []ending) []time.Duration {
		var took []time.Duration
		for _, one := range of {
			took = append(took, one.took)
		}
		return took
	}
	interval := health.EndingOf(durations(all))
	if same := slices.DeleteFunc(slices.Clone(all), func(one ending) bool { return one.model != model }); len(same) >= 2 {
		interval.Center = health.EndingOf(durations(same)).Center
	}
	return interval
}
