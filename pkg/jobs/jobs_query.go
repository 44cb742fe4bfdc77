package jobs

import (
	"cmp"
	"context"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// The formats of fineTuningJobs.
const (
	formatTable      = "table"
	formatTimeline   = "timeline"
	formatCount      = "count"
	formatCountByJob = "countByJob"
)

// jobsOptions are those of jobs.
type jobsOptions struct {
	selection
	// OnlyInRange leaves out jobs that did not live within the time range; nil means true.
	OnlyInRange *bool  `json:"onlyInRange"`
	Format      string `json:"format"`
}

func (o jobsOptions) parsed(alerting bool) (jobsOptions, error) {
	o.Format = cmp.Or(o.Format, formatTable)
	if err := query.OneOf("Format", o.Format, formatTable, formatTimeline, formatCount, formatCountByJob); err != nil {
		return o, err
	}
	if alerting && !o.isNumeric() {
		o.Format = formatCount
	}
	return o, nil
}

// isNumeric reports whether the result is numbers for alert rules, which would be wrong if jobs were missing.
func (o jobsOptions) isNumeric() bool { return o.Format == formatCount || o.Format == formatCountByJob }

func (o jobsOptions) onlyInRange() bool { return o.OnlyInRange == nil || *o.OnlyInRange }

// jobFormats make the frames of selected jobs.
var jobFormats = map[string]func(*Client, context.Context, request, jobsOptions, selected) (data.Frames, error){
	formatTable:      (*Client).jobTable,
	formatTimeline:   (*Client).jobTimeline,
	formatCount:      (*Client).jobCount,
	formatCountByJob: (*Client).jobCount,
}

func (c *Client) queryJobs(ctx context.Context, q request) (data.Frames, error) {
	o, err := query.Parse[jobsOptions](q.saved)
	if err == nil {
		o, err = o.parsed(q.numeric)
	}
	if err != nil {
		return nil, err
	}
	q.complete = q.complete || o.isNumeric() // of this query alone
	s, err := c.selectJobs(ctx, q, o.selection, o.onlyInRange() && !o.isNumeric(), false)
	if err != nil {
		return nil, err
	}
	return jobFormats[o.Format](c, ctx, q, o, s)
}

// jobTable is a table of jobs, newest first. Queue time and run time depend on the events, because the record of a job has no
// start time. The run time of a running job is that until now.
func (c *Client) jobTable(ctx context.Context, q request, _ jobsOptions, s selected) (data.Frames, error) {
	jobs := s.chosen
	events, err := details(ctx, c, q, startedJobs(jobs), "start times", prompt, c.Events)
	if err != nil {
		return nil, err
	}
	start := func(j Job) time.Time { return startTime(events[j.ID].Items) }
	end := func(j Job) time.Time { return endTime(j, events[j.ID].Items) }
	until := func(j Job) time.Time { return q.endOrNow(j, end(j)) }
	frame := query.Table("Fine-tuning jobs",
		query.TextColumn("job_id", jobs, linked(c.Links.checkpointsOfJob(), c.Links.console(jobIDOfRow, "")), func(j Job) string { return j.ID }),
		StatusColumn(jobs, func(j Job) string { return j.Status }),
		query.TextColumn("model", jobs, nil, func(j Job) string { return j.Model }),
		query.TextColumn("fine_tuned_model", jobs, nil, func(j Job) string { return j.FineTunedModel }),
		query.TextColumn("suffix", jobs, nil, func(j Job) string { return j.Suffix }),
		query.TimeColumn("created", jobs, nil, func(j Job) time.Time { return j.Created }),
		query.TimeColumn("started", jobs, nil, start),
		query.TimeColumn("finished", jobs, nil, end),
		query.TimeColumn("estimated_finish", jobs, nil, func(j Job) time.Time { return j.EstimatedFinish }),
		query.Column("queue_time", jobs, unit("s"), func(j Job) *float64 { return seconds(j.Created, start(j)) }),
		query.Column("run_time", jobs, unit("s"), func(j Job) *float64 {
			return seconds(start(j), until(j), pauses(j, events[j.ID].Items, q.now)...)
		}),
		query.Column("trained_tokens", jobs, unit("short"), func(j Job) *float64 { return j.TrainedTokens }),
		query.Column("n_epochs", jobs, nil, func(j Job) *float64 { return j.Epochs }),
		query.Column("batch_size", jobs, nil, func(j Job) *float64 { return j.BatchSize }),
		query.Column("learning_rate", jobs, nil, func(j Job) *float64 { return j.LearningRate }),
		query.TextColumn("training_file", jobs, nil, func(j Job) string { return j.TrainingFile }),
		query.TextColumn("validation_file", jobs, nil, func(j Job) string { return j.ValidationFile }),
		query.TextColumn("error", jobs, nil, func(j Job) string { return j.Error }),
		query.TextColumn("name", jobs, nil, Job.Name),
		query.TextColumn("node_pool", jobs, nil, func(j Job) string { return j.NodePool }),
		query.TimeColumn("last_report", jobs, nil, func(j Job) time.Time { return lastKnown(Job{}, events[j.ID].Items) }),
		query.TimeColumn("until", jobs, nil, until),
	)
	return data.Frames{frame}, nil
}

// endOrNow is the end of a job as far as it is known, now if it has not ended, or zero.
func (q request) endOrNow(j Job, end time.Time) time.Time {
	if end.IsZero() && !j.IsOver() {
		return q.now
	}
	return end
}

// seconds is the duration between two times without pauses, or nil if one of them is unknown or they are in the wrong order.
func seconds(from, to time.Time, pauses ...Pause) *float64 {
	if from.IsZero() || to.Before(from) {
		return nil
	}
	took := Worked(from, to, pauses).Seconds()
	return &took
}
