package tuning

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Job is a fine-tuning job. A field is nil or empty if the member is missing or of an unexpected type.
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
	Created, Finished, EstimatedFinish *time.Time
	TrainedTokens                      *float64
	Epochs, BatchSize, LearningRate    *float64
	// GPUs is the number of GPUs of the job, and NodePool their node pool, both of its metadata.
	GPUs     *float64
	NodePool string
	// Metadata are the texts and numbers of the metadata.
	Metadata map[string]string
}

func parseJob(r record) Job {
	params, metadata := r.hyperparameters(), r.object("metadata")
	return Job{
		ID:              r.id("id"),
		Status:          r.text("status"),
		Model:           r.text("model"),
		FineTunedModel:  r.text("fine_tuned_model"),
		Suffix:          r.text("suffix"),
		TrainingFile:    r.id("training_file"),
		ValidationFile:  r.id("validation_file"),
		Error:           r.errorMessage(),
		Created:         r.time("created_at"),
		Finished:        r.time("finished_at"),
		EstimatedFinish: r.time("estimated_finish"),
		TrainedTokens:   r.number("trained_tokens"),
		Epochs:          params.number("n_epochs"),
		BatchSize:       params.number("batch_size"),
		LearningRate:    params.number("learning_rate", "learning_rate_multiplier"),
		GPUs:            metadata.number("gpus", "num_gpus", "gpu_count"),
		NodePool:        metadata.text("node_pool", "nodepool", "nodepool_name"),
		Metadata:        metadata.texts(),
	}
}

// hyperparameters are the job's own, or those of its method: {type, supervised: {hyperparameters}}.
func (r record) hyperparameters() record {
	method := r.object("method")
	merged := record{}
	for _, from := range []record{method.object(cmp.Or(method.text("type"), "supervised")).object("hyperparameters"), r.object("hyperparameters")} {
		for name := range from {
			if from.number(name) != nil {
				merged[name] = from[name]
			}
		}
	}
	return merged
}

// errorMessage is the message of the job's error. A job without an error may have an empty object. A text counts only if the
// job failed, because some deployments write "none".
func (r record) errorMessage() string {
	if message := r.text("error"); message != "" && strings.EqualFold(r.text("status"), statusFailed) {
		return message
	}
	reason := r.object("error")
	return reason.text("message", "code")
}

// Name is the display name of the job: its suffix, else the fine-tuned model, else its id.
func (j Job) Name() string { return cmp.Or(j.Suffix, j.FineTunedModel, j.ID) }

// givenName is the suffix of the job, or the fine-tuned model, or empty.
func (j Job) givenName() string { return cmp.Or(j.Suffix, j.FineTunedModel) }

// isOver reports whether the status is final. Unknown statuses are not.
func (j Job) isOver() bool { return isTerminal(j.Status) }

func isTerminal(status string) bool {
	switch strings.ToLower(status) {
	case statusSucceeded, statusFailed, statusCancelled, "canceled", statusCompleted, statusError:
		return true
	}
	return false
}

// waiting reports whether the job has not started, so that it has no checkpoints and no metrics yet.
func (j Job) waiting() bool {
	switch strings.ToLower(j.Status) {
	case statusQueued, statusPending, statusValidating:
		return true
	}
	return false
}

// overlaps reports whether the job existed within the range. An unknown time does not exclude it.
func (j Job) overlaps(from, to time.Time) bool {
	if j.Created != nil && j.Created.After(to) {
		return false
	}
	return j.Finished == nil || !j.Finished.Before(from)
}

// newestFirst sorts jobs by creation, then id. Jobs without a time are last.
func newestFirst(jobs []Job) {
	slices.SortStableFunc(jobs, func(a, b Job) int {
		return cmp.Or(compareTimes(b.Created, a.Created), strings.Compare(a.ID, b.ID))
	})
}

// compareTimes sorts nil first.
func compareTimes(a, b *time.Time) int { return compareValues(a, b, time.Time.Compare) }

// compareNumbers sorts nil first.
func compareNumbers(a, b *float64) int { return compareValues(a, b, cmp.Compare[float64]) }

func compareValues[T any](a, b *T, compare func(a, b T) int) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return compare(*a, *b)
}
