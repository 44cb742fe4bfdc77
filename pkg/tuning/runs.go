package tuning

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// Run is a job that has started, as a training run.
type Run struct {
	Job
	// Start is the first event with the status running, or else the creation. End is nil while the job runs, and where the gateway
	// does not report it.
	Start, End *time.Time
	// Ended reports whether the status is final.
	Ended bool
	// Checkpoints are sorted by time, those without a time are first. Samples are sorted by their axis.
	Checkpoints []Checkpoint
	Samples     []Sample
	// Steps are the times of steps, of samples of all metrics, sorted by time, and TotalSteps how many there will be, or nil. They are
	// there if RunFilters.Steps is set, and the samples may have values that are not finite then.
	Steps      []Sample
	TotalSteps *float64
}

// IsRunning reports whether the job's status is running, and not paused or one that is not known.
func (r Run) IsRunning() bool { return strings.EqualFold(r.Status, statusRunning) }

// RunFilters selects jobs. Empty choices are all.
type RunFilters struct {
	JobIDs, Statuses, Models query.Choices
	// From and To are the range that a job must overlap.
	From, To time.Time
	// Checkpoints and Samples request these details.
	Checkpoints, Samples bool
	// Metrics are the metrics of the samples, which have a step if BySteps is set, and else a time.
	Metrics []string
	BySteps bool
	// Steps requests the times of steps, and with Samples also values that are not finite.
	Steps bool
	// Most bounds the number of jobs, if it is not 0. The newest count.
	Most int
	// Complete makes an incomplete result an error, for alert rules.
	Complete bool
}

// Runs are the jobs that have started, newest first, with notices about what could not be read.
//
// Errors are *query.Error or *transport.Error.
func (c *Client) Runs(ctx context.Context, f RunFilters) ([]Run, []data.Notice, error) {
	q := &parsedQuery{
		queryModel: queryModel{JobIDs: f.JobIDs, Statuses: f.Statuses, Models: f.Models, XAxis: axisTime},
		from:       f.From, to: f.To, now: c.Now(), alerting: f.Complete,
	}
	if f.BySteps {
		q.XAxis = axisStep
	}
	q.Metrics = query.NewChoices(f.Metrics)
	q.Metrics.Rewrite(metricKey)
	if err := q.checkLimits(); err != nil {
		return nil, nil, err
	}
	jobs, err := c.jobsWithin(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	jobs = startedJobs(jobs)
	if f.Most > 0 && len(jobs) > f.Most {
		q.notices.Warn("Only the newest %d of %d jobs are looked at. Choose jobs or statuses to see others.", f.Most, len(jobs))
		jobs = jobs[:f.Most]
	}
	runs := make([]Run, len(jobs))
	for i, job := range jobs {
		runs[i] = Run{Job: job, Start: job.Created, End: job.Finished, Ended: job.isOver()}
	}
	events := fetchDetails(ctx, c, q, jobs, "start times", patient, (*reader).events)
	if err := events.addNotices(q); err != nil {
		return nil, nil, err
	}
	for i, job := range jobs {
		if started := startTime(events.byJob[job.ID].items); started != nil {
			runs[i].Start = started
		}
		runs[i].End = endTime(job, events.byJob[job.ID].items)
	}
	if f.Checkpoints {
		err = addDetails(ctx, c, q, runs, "checkpoints", (*reader).checkpoints, func(run *Run, found detailList[Checkpoint]) {
			run.Checkpoints = slices.Clone(found.items)
			slices.SortStableFunc(run.Checkpoints, func(a, b Checkpoint) int { return compareTimes(a.Created, b.Created) })
		})
	}
	if f.Samples && err == nil {
		q.unfiltered = f.Steps
		samples := func(r *reader, job Job) ([]Sample, error) { return r.curvePoints(job, q) }
		err = addDetails(ctx, c, q, runs, "training metrics", samples, func(run *Run, found []Sample) {
			if f.Steps {
				run.addSteps(found, events.byJob[run.ID].items)
			}
			run.Samples = slices.DeleteFunc(slices.Clone(found), func(s Sample) bool {
				return !q.Metrics.Has(s.Metric) || !s.on(q.XAxis) || s.Metric == totalSteps
			})
			slices.SortStableFunc(run.Samples, func(a, b Sample) int { return a.compare(b, q.XAxis) })
		})
	}
	if err != nil {
		return nil, nil, err
	}
	return runs, q.notices, nil
}

// addSteps adds the times of steps, and how many there will be as was said last.
func (r *Run) addSteps(samples []Sample, events []Event) {
	var said *time.Time
	say := func(total *float64, at *time.Time) {
		if total != nil && *total > 0 && compareTimes(at, said) >= 0 {
			r.TotalSteps, said = total, at
		}
	}
	for _, s := range samples {
		if s.Metric == totalSteps {
			say(&s.Value, s.At)
		}
		if s.Step != nil && s.At != nil {
			r.Steps = append(r.Steps, s)
		}
	}
	for _, e := range events {
		say(e.TotalSteps, e.Created)
	}
	slices.SortStableFunc(r.Steps, func(a, b Sample) int { return cmp.Or(compareTimes(a.At, b.At), compareNumbers(a.Step, b.Step)) })
	r.Steps = slices.CompactFunc(r.Steps, func(a, b Sample) bool { return *a.Step == *b.Step })
}

// addDetails fetches a detail of each job, and adds it to its run.
func addDetails[T any](ctx context.Context, c *Client, q *parsedQuery, runs []Run, what string, read func(*reader, Job) (T, error), add func(*Run, T)) error {
	jobs := make([]Job, len(runs))
	for i, run := range runs {
		jobs[i] = run.Job
	}
	found := fetchDetails(ctx, c, q, jobs, what, patient, read)
	if err := found.addNotices(q); err != nil {
		return err
	}
	for i := range runs {
		if detail, ok := found.byJob[runs[i].ID]; ok {
			add(&runs[i], detail)
		}
	}
	return nil
}
