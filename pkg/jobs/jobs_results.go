package jobs

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxResultJobs bounds the jobs whose losses and events are read.
const maxResultJobs = 200

// The metrics by which results are compared.
const (
	trainLoss = "train_loss"
	validLoss = "valid_loss"
	// fullValidLoss is the validation loss of all data, where validLoss may be that of a batch.
	fullValidLoss = "full_valid_loss"
)

// progress is the progress of a job. Unknown values are nil.
type progress struct {
	startTime, endTime *time.Time
	pauses             []Pause
	// reported is the time of the newest event, checkpoint or training metric.
	reported *time.Time
	// losses are the last losses, by metric.
	losses map[string]*float64
	// cut says why some of what the job reported was not read, or is empty.
	cut string
}

// result is a job with its progress.
type result struct {
	Job
	progress
	best bool
}

// jobResults is a table of jobs with their results: error, last losses, time of the last report, GPU-hours. It is sorted by
// validation loss; jobs without a loss are last.
func (c *Client) jobResults(ctx context.Context, q request, _ jobsOptions, s selected) (data.Frames, error) {
	jobs := s.chosen
	found, err := details(ctx, c, q, q.newestJobs(startedJobs(jobs), maxResultJobs, "losses and run times"), "losses and start times", prompt, c.progress)
	if err != nil {
		return nil, err
	}
	results := make([]result, len(jobs))
	for i, job := range jobs {
		results[i] = result{Job: job, progress: found[job.ID]}
	}
	slices.SortStableFunc(results, compareResults)
	markBest(results)
	q.explainGPUHours(jobs)

	end := func(r result) *time.Time { return q.endOrNow(r.Job, cmp.Or(r.Finished, r.endTime)) }
	runTime := func(r result) *float64 { return seconds(r.startTime, end(r), r.pauses...) }
	loss := func(metric string) func(result) *float64 {
		return func(r result) *float64 { return r.losses[metric] }
	}
	frame := query.Table("Results of fine-tuning jobs",
		query.TextColumn("job_id", results, linked(c.links.checkpointsOfJob(), c.links.console("")), func(r result) string { return r.ID }),
		query.TextColumn("name", results, nil, func(r result) string { return r.Name() }),
		query.TextColumn("status", results, StatusConfig(), func(r result) string { return r.Status }),
		query.TextColumn("error", results, nil, func(r result) string { return r.Error }),
		query.TextColumn("best", results, nil, func(r result) string {
			if r.best {
				return "best"
			}
			return ""
		}),
		query.Column(validLoss, results, nil, loss(validLoss)),
		query.Column(trainLoss, results, nil, loss(trainLoss)),
		query.Column("last_report", results, nil, func(r result) *time.Time { return r.reported }),
		query.Column("created", results, nil, func(r result) *time.Time { return r.Created }),
		query.Column("started", results, nil, func(r result) *time.Time { return r.startTime }),
		query.Column("until", results, nil, end),
		query.Column("run_time", results, unit("s"), runTime),
		query.Column("gpus", results, nil, func(r result) *float64 { return r.GPUs }),
		query.Column("gpu_hours", results, nil, func(r result) *float64 { return gpuHours(r.GPUs, runTime(r)) }),
		query.TextColumn("node_pool", results, nil, func(r result) string { return r.NodePool }),
		query.TextColumn("model", results, nil, func(r result) string { return r.Model }),
	)
	return data.Frames{frame}, nil
}

// progress reads the progress of a job. The error is errNotServed if the gateway serves neither events, checkpoints nor
// metrics.
func (c *Client) progress(ctx context.Context, job Job) (progress, error) {
	samples, err := c.curvePoints(ctx, job, axisTime, query.NewChoices([]string{trainLoss, validLoss}))
	if err != nil && !errors.Is(err, gateway.ErrNotServed) {
		return progress{}, err
	}
	notServed := err != nil
	events, err := c.Events(ctx, job)
	if err != nil && (notServed || !errors.Is(err, gateway.ErrNotServed)) {
		return progress{}, err
	}
	p := progress{
		startTime: startTime(events.Items), endTime: endTime(job, events.Items), pauses: pauses(job, changes(job, events.Items), c.Now()),
		reported: lastKnown(Job{}, events.Items), losses: map[string]*float64{}, cut: cmp.Or(events.Cut, samples.Cut),
	}
	newest := map[string]*time.Time{}
	for _, sample := range samples.Items {
		if compareTimes(sample.At, p.reported) > 0 {
			p.reported = sample.At
		}
		if compareTimes(sample.At, newest[sample.Metric]) > 0 {
			newest[sample.Metric], p.losses[sample.Metric] = sample.At, nil
			if !isNoPoint(sample) {
				p.losses[sample.Metric] = &sample.Value
			}
		}
	}
	if full := p.losses[fullValidLoss]; full != nil {
		p.losses[validLoss] = full
	}
	return p, nil
}

// compareResults sorts by validation loss, then training loss. Jobs without a loss are last.
func compareResults(a, b result) int {
	return cmp.Or(
		compareLosses(a.losses[validLoss], b.losses[validLoss]),
		compareLosses(a.losses[trainLoss], b.losses[trainLoss]),
	)
}

// compareLosses sorts nil last.
func compareLosses(a, b *float64) int {
	if a == nil || b == nil {
		return compareNumbers(b, a)
	}
	return cmp.Compare(*a, *b)
}

// markBest marks the job with the lowest loss among those of its model and data that succeeded, if there are several. Other losses can't be
// compared. The results are sorted.
func markBest(results []result) {
	type group struct{ model, loss, file string }
	first := map[group]int{}
	for i, r := range results {
		of := group{r.Model, validLoss, cmp.Or(r.ValidationFile, r.TrainingFile)} // a part of it
		if r.losses[validLoss] == nil {
			of = group{r.Model, trainLoss, r.TrainingFile}
		}
		if gateway.Usual(r.Status) != gateway.StatusSucceeded || r.losses[of.loss] == nil {
			continue
		}
		if best, known := first[of]; known {
			results[best].best = true
		} else {
			first[of] = i
		}
	}
}

func gpuHours(gpus, runTime *float64) *float64 {
	if gpus == nil || runTime == nil {
		return nil
	}
	hours := *gpus * *runTime / 3600
	return &hours
}

// explainGPUHours adds a notice about jobs without GPU-hours.
func (q request) explainGPUHours(jobs []Job) {
	unknown := 0
	for _, job := range jobs {
		if job.GPUs == nil {
			unknown++
		}
	}
	if unknown > 0 {
		q.notices.Info("metadata.gpus is missing from %d of %s: without it, GPU-hours are not known.", unknown, query.Plural(len(jobs), "job"))
	}
}
