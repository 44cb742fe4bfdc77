package jobs

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// Run is a job that has started, as a training run.
type Run struct {
	Job
	// Start is the first event with the status running, or else the creation. End is zero while the job runs. Both are where the gateway
	// does not report them.
	Start, End time.Time
	// Pauses are when it was paused, waited again, or had failed, until it went on, ended, or now. They are sorted by time.
	Pauses []Pause
	// Checkpoints and samples are sorted by time, those without a time are first. Values of samples may not be finite.
	Checkpoints []Checkpoint
	Samples     []Sample
	// Steps are the times of steps, of samples of all metrics, sorted by time, or the times of samples if none has a step, and TotalSteps
	// how many there will be, or nil. They are there if RunFilters.Steps is set.
	Steps      []Sample
	TotalSteps *float64
	// Reported are the steps of events, sorted by time: training metrics may come later.
	Reported []Sample
	// SignOfLife is the newest event in the range that says something new since the newest step, or zero, if RunFilters.Steps is set.
	SignOfLife time.Time
	// LacksNewest reports that there are newer events, which were not read yet.
	LacksNewest bool
}

// IsRunning reports whether the job's status is running, and not paused or one that is not known.
func (r Run) IsRunning() bool { return gateway.Usual(r.Status) == gateway.StatusRunning }

// IsPaused reports whether the job's status is paused.
func (r Run) IsPaused() bool { return gateway.Usual(r.Status) == gateway.StatusPaused }

// Pause is a time in which a job that had begun did nothing.
type Pause struct{ From, To time.Time }

// RunFilters selects jobs. Empty choices are all.
type RunFilters struct {
	JobIDs, Statuses, Models query.Choices
	// From and To are the range that a job must overlap.
	From, To time.Time
	// Checkpoints and Samples request these details.
	Checkpoints, Samples bool
	// Metrics are the metrics of the samples, which have a time, or if BySteps is set, a step.
	Metrics query.Choices
	BySteps bool
	// Steps requests the times of steps.
	Steps bool
	// Most bounds the number of jobs, if it is not 0. The newest count.
	Most int
	// Complete makes an incomplete result an error, for alert rules.
	Complete bool
}

// Runs are the jobs that have started, newest first. It adds notices about what could not be read.
//
// Errors are *query.Error or *transport.Error.
func (c *Client) Runs(ctx context.Context, f RunFilters, notices *query.Notices) ([]Run, error) {
	q := request{from: f.From, to: f.To, now: c.Now(), started: time.Now(), complete: f.Complete, notices: notices}
	chosen := selection{JobIDs: f.JobIDs, Statuses: f.Statuses, Models: f.Models}
	found, err := c.selectJobs(ctx, q, chosen, chosen.isInRange(), false)
	if err != nil {
		return nil, err
	}
	jobs := startedJobs(found.chosen)
	if f.Most > 0 && len(jobs) > f.Most {
		q.notices.Cut("Only the newest %d of %d jobs are looked at. Choose jobs or statuses to see others.", f.Most, len(jobs))
		jobs = jobs[:f.Most]
	}
	events, err := details(ctx, c, q, jobs, "start times", patient, c.Events)
	if err != nil {
		return nil, err
	}
	jobs = slices.DeleteFunc(jobs, func(job Job) bool { return neverStarted(job, events[job.ID].Items) })
	runs := make([]Run, len(jobs))
	for i, job := range jobs {
		runs[i] = Run{Job: job, Start: job.Created, End: endTime(job, events[job.ID].Items)}
		if started := startTime(events[job.ID].Items); !started.IsZero() {
			runs[i].Start = started
		}
		runs[i].LacksNewest = events[job.ID].Cut != "" && !events[job.ID].LacksOlder
		for _, e := range events[job.ID].Items {
			if !math.IsNaN(e.Step) && !e.Created.IsZero() {
				runs[i].Reported = append(runs[i].Reported, Sample{Step: e.Step, At: e.Created})
			}
		}
		slices.SortStableFunc(runs[i].Reported, byTime)
		runs[i].Pauses = pauses(job, events[job.ID].Items, q.now)
		if n := len(runs[i].Pauses); n > 0 && runs[i].IsRunning() && runs[i].Pauses[n-1].To.Equal(q.now) {
			runs[i].Status = gateway.StatusPaused // as its events say
		}
	}
	if f.Checkpoints {
		found, err := details(ctx, c, q, jobs, "checkpoints", patient, c.Checkpoints)
		if err != nil {
			return nil, err
		}
		for i, job := range jobs {
			runs[i].Checkpoints = slices.Clone(found[job.ID].Items)
			slices.SortStableFunc(runs[i].Checkpoints, func(a, b Checkpoint) int { return a.Created.Compare(b.Created) })
		}
	}
	if f.Samples {
		metrics := query.NewChoices(slices.Clone(f.Metrics.Values))
		metrics.Rewrite(gateway.MetricKey)
		found, err := details(ctx, c, q, jobs, "training metrics", patient, func(ctx context.Context, job Job) (gateway.List[Sample], error) {
			return c.curvePoints(ctx, job, f.BySteps, metrics)
		})
		if err != nil {
			return nil, err
		}
		for i, job := range jobs {
			if f.Steps {
				runs[i].addSteps(found[job.ID].Items, events[job.ID].Items)
				runs[i].SignOfLife = signOfLife(runs[i].Steps, events[job.ID].Items, f.To)
			}
			runs[i].Samples = make([]Sample, 0, len(found[job.ID].Items))
			for _, s := range found[job.ID].Items {
				if metrics.Has(s.Metric) && isOnAxis(s, f.BySteps) && !gateway.IsProgress(s.Metric) {
					runs[i].Samples = append(runs[i].Samples, s)
				}
			}
			slices.SortStableFunc(runs[i].Samples, byTime)
		}
	}
	return runs, nil
}

// addSteps adds the times of steps, and how many there will be as was said last.
func (r *Run) addSteps(samples []Sample, events []gateway.Event) {
	var said time.Time
	say := func(total *float64, at time.Time) {
		if total != nil && *total > 0 && !at.Before(said) {
			r.TotalSteps, said = total, at
		}
	}
	for _, s := range samples {
		if s.Metric == gateway.TotalSteps {
			say(&s.Value, s.At)
		}
		n := len(r.Steps)
		isSame := n > 0 && byTime(r.Steps[n-1], s) == 0 // another metric of one report
		if !s.At.IsZero() && !isSame {
			r.Steps = append(r.Steps, s)
		}
	}
	for _, e := range events {
		say(e.TotalSteps, e.Created)
	}
	if slices.ContainsFunc(r.Steps, func(s Sample) bool { return !math.IsNaN(s.Step) }) {
		r.Steps = slices.DeleteFunc(r.Steps, func(s Sample) bool { return math.IsNaN(s.Step) })
	}
	slices.SortStableFunc(r.Steps, byTime)
	r.Steps = slices.CompactFunc(r.Steps, func(a, b Sample) bool { return a.Step == b.Step })
}

// signOfLife is the time of the newest event until a time that says something new since the newest step: that the job starts again, loads
// or saves. That it still runs, for so many seconds, is said again and again, also while it hangs.
func signOfLife(steps []Sample, events []gateway.Event, to time.Time) (newest time.Time) {
	var made time.Time
	for _, s := range steps {
		if !s.At.After(to) {
			made = s.At
		}
	}
	first := map[string]time.Time{} // when it is said first, by the message without its digits
	for _, e := range events {
		if !e.Created.After(made) || e.Created.After(to) {
			continue
		}
		message := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, e.Message)
		if said, known := first[message]; !known || e.Created.Before(said) {
			first[message] = e.Created
		}
	}
	for _, said := range first {
		newest = query.Later(newest, said)
	}
	return newest
}

// byTime sorts samples by time, then step.
func byTime(a, b Sample) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Step, b.Step)) }
