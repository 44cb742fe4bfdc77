package gateway

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// job is a job of the scenario with what only the gateway knows of it.
type job struct {
	scenario.Job
	details
	seed   uint64 // identity, as in its id
	mangle mangle
}

// mangle turns records into edge cases; any member may be nil. n is the position of a checkpoint or an event.
type mangle struct {
	job        func(r record, status string)
	checkpoint func(r record, n int)
	event      func(r record, n int)
}

// details are what a job was created with, beside what the scenario needs.
type details struct {
	suffix, training, validation string // validation may be ""
	given                        record // hyperparameters, as they were given
	metadata                     any
}

// seedOf reads the identity in a job's id.
func seedOf(id string) (uint64, bool) {
	text, ok := strings.CutPrefix(id, "ftjob-")
	seed, err := strconv.ParseUint(text, 16, 64)
	return seed, ok && err == nil && scenario.IDOf(seed) == id
}

// fromScenario makes a job of the gateway.
func fromScenario(j scenario.Job) job {
	seed, _ := seedOf(j.ID)
	d := details{
		suffix: j.Name, training: dataSetID(scenario.Mix(seed, 12) % trainingSets),
		given: record{"n_epochs": j.Epochs, "batch_size": j.BatchSize, "learning_rate": j.LearningRate},
	}
	if seed%3 > 0 {
		d.validation = dataSetID(trainingSets + scenario.Mix(seed, 13)%validationSets)
	}
	return job{Job: j, details: d, seed: seed}
}

// status returns the job's status at t.
func (j *job) status(t int64) string {
	p, alive := j.Phase(t)
	if !alive {
		return string(j.Outcome)
	}
	switch p.Kind {
	case scenario.Validating, scenario.Queued, scenario.Paused:
		return string(p.Kind)
	default:
		return "running"
	}
}

// record returns the job as the gateway writes it at t.
func (j *job) record(t int64) record {
	status := j.status(t)
	r := record{
		"id": j.ID, "object": "fine_tuning.job", "model": j.Model, "created_at": seconds(j.Created), "finished_at": nil,
		"estimated_finish": nil, "status": status, "fine_tuned_model": nil, "organization_id": "org-demo",
		"training_file": j.training, "validation_file": nil, "result_files": []string{}, "trained_tokens": nil,
		"seed": nil, "error": nil, "hyperparameters": j.given,
		"method": record{"type": "supervised", "supervised": record{"hyperparameters": j.given}},
		"suffix": nil, "metadata": j.metadata,
	}
	if j.validation != "" {
		r["validation_file"] = j.validation
	}
	if j.suffix != "" {
		r["suffix"] = j.suffix
	}
	if j.Started > 0 && t >= j.Started {
		r["trained_tokens"] = int64(j.Step(t)) * j.TokensPerStep()
	}
	switch {
	case t < j.Finished && status != "paused":
		r["estimated_finish"] = seconds(j.Planned)
	case t >= j.Finished:
		r["finished_at"] = seconds(j.Finished)
	}
	if t >= j.Finished+j.naming() && j.Outcome == scenario.Succeeded {
		r["fine_tuned_model"] = j.tunedModel()
	}
	if status == string(scenario.Failed) {
		r["error"] = record{"code": "job_failed", "message": j.Failure, "param": nil}
	}
	if j.mangle.job != nil {
		j.mangle.job(r, status)
	}
	return r
}

// naming is how long after its success a job has no model yet, in milliseconds.
func (j *job) naming() int64 { return min((j.Finished-j.Created)/30, 30e3) }

func (j *job) tunedModel() string {
	return fmt.Sprintf("ft:%s:%s:%08x", j.Model, j.suffix, uint32(scenario.Mix(j.seed, 14)))
}
