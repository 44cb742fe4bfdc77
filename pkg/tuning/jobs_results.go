package tuning

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxResultJobs is how many jobs' losses and events are read at most for a table of results.
const maxResultJobs = 200

// The metrics by which results are compared.
const (
	trainLoss = "train_loss"
	validLoss = "valid_loss"
)

// progress is how far a job has come. What isn't known is nil.
type progress struct {
	started *time.Time
	// reported is the time of the newest event, checkpoint or training metric.
	reported *time.Time
	// losses are the last of each.
	losses map[string]*float64
}

// result is a job with its progress.
type result struct {
	Job
	progress
	best bool
}

// jobResults is a row a job with how it ended: its error, its last losses, when it last reported, its GPU-hours. The job
// with the lowest validation loss comes first, those without any loss last.
func (c *Client) jobResults(ctx context.Context, q *query, jobs []Job) (data.Frames, error) {
	jobs = q.inRange(jobs)
	asked := begun(jobs)
	if len(asked) > maxResultJobs {
		q.notices.warn("Losses and run times are read of the newest %d of %d jobs only. Choose jobs to see others.", maxResultJobs, len(asked))
		asked = asked[:maxResultJobs]
	}
	found := gather(ctx, c, asked, c.Patience, c.progress)
	if err := found.complain(q, "losses and start times"); err != nil {
		q.notices.warn("The losses and start times of jobs can't be read. %s", reasonOf(err))
	}
	results := make([]result, len(jobs))
	for i, job := range jobs {
		results[i] = result{Job: job, progress: found.of[job.ID]}
	}
	slices.SortStableFunc(results, compareResults)
	markBest(results)
	q.explainGPUHours(jobs)

	runTime := func(r result) *float64 { return seconds(r.started, q.lastSeen(r.Job)) }
	loss := func(metric string) func(result) *float64 {
		return func(r result) *float64 { return r.losses[metric] }
	}
	frame := table("Results of fine-tuning jobs",
		texts("job_id", results, linked(c.Links.checkpointsOfJob(), c.Links.console("")), func(r result) string { return r.ID }),
		texts("name", results, nil, func(r result) string { return r.Name() }),
		texts("status", results, coloredStatusConfig(), func(r result) string { return r.Status }),
		texts("error", results, nil, func(r result) string { return r.Error }),
		texts("best", results, nil, func(r result) string {
			if r.best {
				return "best"
			}
			return ""
		}),
		column(validLoss, results, nil, loss(validLoss)),
		column(trainLoss, results, nil, loss(trainLoss)),
		column("last_report", results, nil, func(r result) *time.Time { return r.reported }),
		column("created", results, nil, func(r result) *time.Time { return r.Created }),
		column("started", results, nil, func(r result) *time.Time { return r.started }),
		column("until", results, nil, func(r result) *time.Time { return q.lastSeen(r.Job) }),
		column("run_time", results, unit("s"), runTime),
		column("gpus", results, nil, func(r result) *float64 { return r.GPUs }),
		column("gpu_hours", results, nil, func(r result) *float64 { return gpuHours(r.GPUs, runTime(r)) }),
		texts("node_pool", results, nil, func(r result) string { return r.NodePool }),
		texts("model", results, nil, func(r result) string { return r.Model }),
	)
	return data.Frames{frame}, nil
}

// progress reads how far a job has come. It is errAbsent if the gateway serves neither events, checkpoints nor metrics.
func (c *Client) progress(ctx context.Context, job Job) (progress, error) {
	wanted := &query{queryModel: queryModel{XAxis: axisTime, Metrics: queries.Choices{Values: []string{trainLoss, validLoss}}}}
	samples, err := c.curvePoints(ctx, job, wanted)
	if err != nil && !errors.Is(err, errAbsent) {
		return progress{}, err
	}
	absent := err != nil
	events, err := c.events(ctx, job)
	if err != nil && (absent || !errors.Is(err, errAbsent)) {
		return progress{}, err
	}
	p := progress{started: started(events.items), reported: lastKnown(Job{}, events.items), losses: map[string]*float64{}}
	newest := map[string]*time.Time{}
	for _, sample := range samples {
		if compareTimes(sample.At, p.reported) > 0 {
			p.reported = sample.At
		}
		if sample.At != nil && compareTimes(sample.At, newest[sample.Metric]) > 0 {
			newest[sample.Metric], p.losses[sample.Metric] = sample.At, &sample.Value
		}
	}
	return p, nil
}

// compareResults orders by validation loss, then training loss, lowest first. Jobs without a loss come last.
func compareResults(a, b result) int {
	return cmp.Or(
		compareLosses(a.losses[validLoss], b.losses[validLoss]),
		compareLosses(a.losses[trainLoss], b.losses[trainLoss]),
	)
}

func compareLosses(a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*a, *b)
}

// markBest marks the job with the lowest loss among those that succeeded.
func markBest(results []result) {
	for i, r := range results {
		switch strings.ToLower(r.Status) {
		case statusSucceeded, statusCompleted:
			results[i].best = r.losses[validLoss] != nil || r.losses[trainLoss] != nil
			return
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

// explainGPUHours says how many jobs have no GPU-hours because nobody knows their GPUs.
func (q *query) explainGPUHours(jobs []Job) {
	unknown := 0
	for _, job := range jobs {
		if job.GPUs == nil {
			unknown++
		}
	}
	if unknown > 0 {
		q.notices.info("%d of %s don't name their GPUs in metadata.gpus, so their GPU-hours are not known.", unknown, counted(len(jobs), "job"))
	}
}
