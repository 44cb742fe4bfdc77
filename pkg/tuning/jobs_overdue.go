package tuning

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// jobOverdue is the time since the estimated finish of each job that has not ended, in seconds, as numeric-multi frames with
// the labels job, job_name, model and status, without unknown ones. It is negative before the estimated finish.
//
// Jobs without an estimate are left out; an info has their number. So are jobs created after the end of the range.
func (c *Client) jobOverdue(_ context.Context, q *parsedQuery, jobs []Job) (data.Frames, error) {
	var fields []*data.Field
	unknown := 0
	for _, job := range jobs {
		if job.isOver() || job.Created != nil && job.Created.After(q.to) {
			continue
		}
		if job.EstimatedFinish == nil || job.ID == "" {
			unknown++
			continue
		}
		field := data.NewField("overdue", labelsOf(job, job.Status), []float64{q.end().Sub(*job.EstimatedFinish).Seconds()})
		field.Config = &data.FieldConfig{Unit: "s", DisplayNameFromDS: job.Name()}
		fields = append(fields, field)
	}
	if unknown > 0 {
		q.notices.Info("The gateway has no estimate for %s.", query.Plural(unknown, "job"))
	}
	return query.Numbers(fields), nil
}

// labelsOf are the labels of a number about one job.
func labelsOf(job Job, status string) data.Labels {
	return query.KnownLabels(data.Labels{"job": job.ID, "job_name": job.givenName(), "model": job.Model, "status": status})
}
