package gateway

import (
	"cmp"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// record is an object of the gateway.
type record = query.Record

// Job is a fine-tuning job. A field is nil, empty or the zero time if the member is missing or of an unexpected type.
type Job struct {
	ID             string
	Status         string
	Model          string
	FineTunedModel string
	Suffix         string
	TrainingFile   string
	ValidationFile string
	// Error is the message of a failed job.
	Error                              string
	Created, Finished, EstimatedFinish time.Time
	TrainedTokens                      *float64
	Epochs, BatchSize, LearningRate    *float64
	// NodePool is where it runs, by its metadata.
	NodePool string
	// Metadata are the texts and numbers of the metadata.
	Metadata map[string]string
}

func parseJob(r record) Job {
	params, metadata := hyperparameters(r), r.Object("metadata")
	j := Job{
		ID:              r.ID("id"),
		Status:          r.Text("status"),
		Model:           r.Text("model"),
		FineTunedModel:  r.Text("fine_tuned_model"),
		Suffix:          r.Text("suffix"),
		TrainingFile:    r.ID("training_file"),
		ValidationFile:  r.ID("validation_file"),
		Error:           errorMessage(r),
		Created:         r.Time("created_at"),
		Finished:        r.Time("finished_at"),
		EstimatedFinish: r.Time("estimated_finish"),
		TrainedTokens:   r.Amount("trained_tokens"),
		Epochs:          params.Amount("n_epochs"),
		BatchSize:       params.Amount("batch_size"),
		LearningRate:    params.Amount("learning_rate", "learning_rate_multiplier"),
		NodePool:        metadata.Text("node_pool", "nodepool", "nodepool_name"),
		Metadata:        metadata.Texts(),
	}
	if j.EstimatedFinish.Before(j.Created) {
		j.EstimatedFinish = time.Time{} // some other number, such as the seconds left
	}
	return j
}

// hyperparameters are the job's own, or those of its method: {type, supervised: {hyperparameters}}.
func hyperparameters(r record) record {
	method := r.Object("method")
	merged := record{}
	for _, from := range []record{method.Object(cmp.Or(method.Text("type"), "supervised")).Object("hyperparameters"), r.Object("hyperparameters")} {
		for name := range from {
			if from.Number(name) != nil {
				merged[name] = from[name]
			}
		}
	}
	return merged
}

// errorMessage is the message of the job's error. A job without an error may have an empty object. A text counts only if the
// job failed, because some deployments write "none".
func errorMessage(r record) string {
	if message := r.Text("error"); message != "" && Usual(r.Text("status")) == StatusFailed {
		return message
	}
	reason := r.Object("error")
	return reason.Text("message", "code")
}

// Name is the display name of the job: its suffix, else the fine-tuned model, else its id.
func (j Job) Name() string { return cmp.Or(j.Suffix, j.FineTunedModel, j.ID) }

// IsOver reports whether the status is final, or one of the gateway's own while the record has an end.
func (j Job) IsOver() bool {
	return IsTerminal(j.Status) || !j.Finished.IsZero() && statusNames[strings.ToLower(j.Status)] == ""
}

// IsTerminal reports whether a status is final. Unknown ones are not.
func IsTerminal(status string) bool {
	switch Usual(status) {
	case StatusSucceeded, StatusFailed, StatusCancelled:
		return true
	}
	return false
}

// Usual is the usual word for a status, or the status in lower case.
func Usual(status string) string {
	status = strings.ToLower(status)
	return cmp.Or(statusNames[status], status)
}
