package training

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/training/findings"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

const (
	// maxJobs bounds the jobs of one query. Each takes requests.
	maxJobs = 50
	// maxPoints bounds the points of a curve. The newest count.
	maxPoints = 10_000
)

// jobRuns are the fine-tuning jobs that have started, as they were at the end of the range.
func (c *Client) jobRuns(ctx context.Context, q *parsedQuery) ([]*run, error) {
	if q.Metrics.Blank {
		return nil, nil
	}
	jobs, notices, err := c.Jobs.Runs(ctx, tuning.RunFilters{
		JobIDs: q.JobIDs, Statuses: q.Statuses, Models: q.Models, From: q.from, To: q.end,
		Samples: true, Steps: true, Metrics: q.Metrics.Values, Complete: q.alerting || q.Format == formatNumber, Most: maxJobs,
	})
	if err != nil {
		return nil, err
	}
	q.notices.Append(notices)
	ending := findings.EndingOf(endings(jobs))
	runs := make([]*run, len(jobs))
	for i := range jobs {
		runs[i] = q.jobRun(&jobs[i])
		runs[i].Progress.Ending = ending
	}
	return runs, nil
}

func (q *parsedQuery) jobRun(job *tuning.Run) *run {
	labels := query.KnownLabels(data.Labels{"job": job.ID, "job_name": job.Suffix, "model": job.Model})
	r := &run{name: job.Name(), status: job.Status, labels: labels}
	r.running = !job.Ended || job.End != nil && job.End.After(q.end)
	// As jobs with other statuses than running may pause for any time. One that ended after the range ran at its end.
	r.Running = r.running && (job.Ended || job.IsRunning())
	if job.Start != nil {
		r.Start = job.Start.UTC()
	}
	if job.EstimatedFinish != nil && !job.Ended {
		r.estimate = job.EstimatedFinish.UTC()
		r.Estimate = r.estimate
	}
	r.Progress = findings.Progress{Points: q.points(job.Steps), Total: math.NaN()}
	if job.TotalSteps != nil {
		r.Progress.Total = *job.TotalSteps
	}
	r.Curves = q.curves(job.Samples)
	return r
}

// curves are the metrics of a job that were chosen, and without a choice those of which it is known which values are better.
func (q *parsedQuery) curves(samples []tuning.Sample) []findings.Curve {
	byMetric := map[string][]tuning.Sample{}
	var metrics []string
	for _, s := range samples {
		if byMetric[s.Metric] == nil {
			metrics = append(metrics, s.Metric)
		}
		byMetric[s.Metric] = append(byMetric[s.Metric], s)
	}
	slices.Sort(metrics)
	var curves []findings.Curve
	for _, metric := range metrics {
		direction := findings.DirectionOf(metric)
		if direction == findings.UnknownDirection && q.Metrics.All() {
			continue
		}
		q.explainDirection(metric, direction)
		curves = append(curves, findings.Curve{Metric: metric, Direction: direction, Points: q.points(byMetric[metric])})
	}
	return curves
}

// explainDirection says what is not found about a metric.
func (q *parsedQuery) explainDirection(metric string, direction findings.Direction) {
	if direction == findings.UnknownDirection {
		q.notices.Info("The name %s does not say whether lower or higher values are better, so only values that are not finite and spikes are looked for.", query.Cut(metric, maxName))
	}
}

// points are the newest points until the end of the range.
func (q *parsedQuery) points(samples []tuning.Sample) []findings.Point {
	var points []findings.Point
	for _, s := range samples {
		if s.At == nil || s.At.After(q.end) {
			continue
		}
		p := findings.Point{At: s.At.UTC(), Step: math.NaN(), Value: s.Value}
		if s.Step != nil {
			p.Step = *s.Step
		}
		points = append(points, p)
	}
	return points[max(0, len(points)-maxPoints):]
}

// endings are what jobs that succeeded took after their last step.
func endings(jobs []tuning.Run) []time.Duration {
	var all []time.Duration
	for _, job := range jobs {
		if n := len(job.Steps); job.Ended && job.End != nil && n > 0 && job.TotalSteps != nil && *job.Steps[n-1].Step >= *job.TotalSteps {
			if took := job.End.Sub(*job.Steps[n-1].At); took > 0 {
				all = append(all, took)
			}
		}
	}
	return all
}
