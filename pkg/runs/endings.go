package runs

import (
	"context"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// endingJobs is how many jobs that succeeded say what follows the last step, the newest of endingDays. Of others, nine of eleven take a time
// between the shortest and the longest of ten.
const endingJobs, endingDays = 10, 7

// ending is what a job of a model took after its last step.
type ending struct {
	model string
	took  time.Duration
}

// readEndings are what the newest jobs took after their last step, whatever jobs the query selects.
func (t *task) readEndings(ctx context.Context) []ending {
	succeeded, err := t.Jobs.Runs(ctx, jobs.RunFilters{
		Statuses: query.NewChoices([]string{"succeeded"}), From: t.end().AddDate(0, 0, -endingDays), To: t.end(), Samples: true, Steps: true,
		Most: endingJobs,
	}, &query.Notices{})
	if err != nil {
		t.notices.Warn("What jobs take after their last step is not known, so they finish later than estimated: %s", err)
	}
	var all []ending
	for _, job := range succeeded {
		if job.End.IsZero() || job.End.After(t.end()) || job.TotalSteps == nil {
			continue
		}
		made := health.Progress{Points: t.points(job.Steps), Total: *job.TotalSteps}.MadeAt()
		if took := job.End.Sub(made); !made.IsZero() && took > 0 {
			all = append(all, ending{job.Model, took})
		}
	}
	return all
}

// endingOf is what a job of a model will take after its last step: as those of its model, if there are two, and within what all took. Larger models
// take longer to save and to load.
func endingOf(all []ending, model string) health.Interval {
	var took, same []time.Duration
	for _, one := range all {
		took = append(took, one.took)
		if one.model == model {
			same = append(same, one.took)
		}
	}
	interval := health.EndingOf(took)
	if len(same) >= 2 {
		interval.Center = health.EndingOf(same).Center
	}
	return interval
}
