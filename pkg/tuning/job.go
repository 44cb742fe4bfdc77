package tuning

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Job is a fine-tuning job. A nil or empty member is one the gateway did not tell, or not in a way that can be understood.
type Job struct {
	ID             string
	Status         string
	Model          string
	FineTunedModel string
	Suffix         string
	TrainingFile   string
	ValidationFile string
	// Error is why the job failed.
	Error                              string
	Created, Finished, EstimatedFinish *time.Time
	TrainedTokens                      *float64
	Epochs, BatchSize, LearningRate    *float64
	// GPUs is how many GPUs the job runs on, and NodePool where, as whoever created the job wrote into its metadata.
	GPUs     *float64
	NodePool string
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
		Error:           r.failure(),
		Created:         r.time("created_at"),
		Finished:        r.time("finished_at"),
		EstimatedFinish: r.time("estimated_finish"),
		TrainedTokens:   r.number("trained_tokens"),
		Epochs:          params.number("n_epochs"),
		BatchSize:       params.number("batch_size"),
		LearningRate:    params.number("learning_rate", "learning_rate_multiplier"),
		GPUs:            metadata.number("gpus", "num_gpus", "gpu_count"),
		NodePool:        metadata.text("node_pool", "nodepool", "nodepool_name"),
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

// failure is the job's error in words. A healthy job may carry an empty object; a plain text counts only if the job failed,
// because deployments write "none" as well.
func (r record) failure() string {
	if words := r.text("error"); words != "" && strings.EqualFold(r.text("status"), statusFailed) {
		return words
	}
	reason := r.object("error")
	return reason.text("message", "code")
}

// Name is what people call the job: its suffix, else the model it makes, else its id.
func (j Job) Name() string { return cmp.Or(j.Suffix, j.FineTunedModel, j.ID) }

// givenName is the name that a person gave the job, or the model it makes; empty if it has only an id.
func (j Job) givenName() string { return cmp.Or(j.Suffix, j.FineTunedModel) }

// Terminal tells whether the job will not change any more. A status that isn't known may still lead anywhere.
func (j Job) Terminal() bool { return isTerminal(j.Status) }

func isTerminal(status string) bool {
	switch strings.ToLower(status) {
	case statusSucceeded, statusFailed, statusCancelled, "canceled", statusCompleted, statusError:
		return true
	}
	return false
}

// waiting tells whether the job has not begun, so that it can have no start, no checkpoint and no metric yet.
func (j Job) waiting() bool {
	switch strings.ToLower(j.Status) {
	case statusQueued, statusPending, statusValidating:
		return true
	}
	return false
}

// overlaps tells whether the job lived within the range. What isn't known of its times does not count against it.
func (j Job) overlaps(from, to time.Time) bool {
	if j.Created != nil && j.Created.After(to) {
		return false
	}
	return j.Finished == nil || !j.Finished.Before(from)
}

// newestFirst orders jobs by creation; those of unknown age come last, and ids make the order stable.
func newestFirst(jobs []Job) {
	slices.SortStableFunc(jobs, func(a, b Job) int {
		return cmp.Or(compareTimes(b.Created, a.Created), strings.Compare(a.ID, b.ID))
	})
}

// compareTimes puts an unknown time before every known one.
func compareTimes(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return a.Compare(*b)
}
