package tuning

import (
	"context"
	"fmt"
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
	formatOverdue    = "overdue"
	formatResults    = "results"
)

func (c *Client) queryJobs(ctx context.Context, q *parsedQuery) (data.Frames, error) {
	run := map[string]func(context.Context, *parsedQuery, []Job) (data.Frames, error){
		"":               c.jobTable,
		formatTable:      c.jobTable,
		formatTimeline:   c.jobTimeline,
		formatCount:      c.jobCount,
		formatCountByJob: c.jobCountByJob,
		formatOverdue:    c.jobOverdue,
		formatResults:    c.jobResults,
	}[q.Format]
	if run == nil {
		return nil, &query.Error{Field: "Format", Message: fmt.Sprintf("%q is not known. Use table, results, timeline, count, countByJob or overdue.", q.Format)}
	}
	jobs, err := c.jobs(ctx, q)
	if err != nil {
		return nil, err
	}
	return run(ctx, q, jobs)
}

// jobTable is a table of jobs, newest first. Queue time and run time depend on the events, because the record of a job has no
// start time. The run time of a running job is that until now.
func (c *Client) jobTable(ctx context.Context, q *parsedQuery, jobs []Job) (data.Frames, error) {
	jobs = q.inRange(jobs)
	events := fetchDetails(ctx, c, q, startedJobs(jobs), "start times", prompt, (*reader).events)
	if err := events.addNotices(q); err != nil {
		// Show the jobs without their start times.
		q.notices.Warn("When jobs started can't be read. %s", messageOf(err))
	}
	start := func(j Job) *time.Time { return startTime(events.byJob[j.ID].items) }
	frame := query.Table("Fine-tuning jobs",
		query.TextColumn("job_id", jobs, linked(c.Links.checkpointsOfJob(), c.Links.console("")), func(j Job) string { return j.ID }),
		query.TextColumn("status", jobs, StatusConfig(), func(j Job) string { return j.Status }),
		query.TextColumn("model", jobs, nil, func(j Job) string { return j.Model }),
		query.TextColumn("fine_tuned_model", jobs, nil, func(j Job) string { return j.FineTunedModel }),
		query.TextColumn("suffix", jobs, nil, func(j Job) string { return j.Suffix }),
		query.Column("created", jobs, nil, func(j Job) *time.Time { return j.Created }),
		query.Column("started", jobs, nil, start),
		query.Column("finished", jobs, nil, func(j Job) *time.Time { return j.Finished }),
		query.Column("estimated_finish", jobs, nil, func(j Job) *time.Time { return j.EstimatedFinish }),
		query.Column("queue_time", jobs, unit("s"), func(j Job) *float64 { return seconds(j.Created, start(j)) }),
		query.Column("run_time", jobs, unit("s"), func(j Job) *float64 { return seconds(start(j), q.endOrNow(j)) }),
		query.Column("trained_tokens", jobs, unit("short"), func(j Job) *float64 { return j.TrainedTokens }),
		query.Column("n_epochs", jobs, nil, func(j Job) *float64 { return j.Epochs }),
		query.Column("batch_size", jobs, nil, func(j Job) *float64 { return j.BatchSize }),
		query.Column("learning_rate", jobs, nil, func(j Job) *float64 { return j.LearningRate }),
		query.TextColumn("training_file", jobs, nil, func(j Job) string { return j.TrainingFile }),
		query.TextColumn("validation_file", jobs, nil, func(j Job) string { return j.ValidationFile }),
		query.TextColumn("error", jobs, nil, func(j Job) string { return j.Error }),
	)
	return data.Frames{frame}, nil
}

// endOrNow is the end of a job, now if it has not ended, or nil if its end is unknown.
func (q *parsedQuery) endOrNow(j Job) *time.Time {
	if j.Finished == nil && !j.isOver() {
		return &q.now
	}
	return j.Finished
}
