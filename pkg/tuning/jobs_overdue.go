package tuning

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// jobOverdue is by how many seconds each job that has not ended is past its estimated finish, as numeric-multi: a frame
// each, with the labels job, job_name, model and status, those missing that aren't known. It is negative while the job is in time.
// An alert rule uses it as it is.
//
// Ended jobs aren't in it, nor those that the gateway gives no estimate for; an information says how many of the latter
// there are. The time range counts only in that jobs created after its end are left out.
func (c *Client) jobOverdue(_ context.Context, q *query, jobs []Job) (data.Frames, error) {
	var frames data.Frames
	unknown := 0
	for _, job := range jobs {
		if job.Terminal() || job.Created != nil && job.Created.After(q.to) {
			continue
		}
		if job.EstimatedFinish == nil || job.ID == "" {
			unknown++
			continue
		}
		field := data.NewField("overdue", labelsOf(job, job.Status), []float64{q.end().Sub(*job.EstimatedFinish).Seconds()})
		field.Config = &data.FieldConfig{Unit: "s", DisplayNameFromDS: job.Name()}
		frames = append(frames, numeric(field))
	}
	if unknown > 0 {
		q.notices.info("The gateway has no estimate for %s.", counted(unknown, "job"))
	}
	if len(frames) == 0 {
		frames = data.Frames{numeric()}
	}
	return frames, nil
}

// labelsOf are the labels of a number about one job.
func labelsOf(job Job, status string) data.Labels {
	labels := data.Labels{"job": job.ID}
	for name, value := range map[string]string{"job_name": job.givenName(), "model": job.Model, "status": status} {
		if value != "" {
			labels[name] = value
		}
	}
	return labels
}
