package gateway

import (
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// edgeCaseSeed is the identity of the first edge case; the others count on from it.
const edgeCaseSeed = 0x0dd0000000000001

// LargeCheckpointID is the id of a checkpoint whose weights are largeCheckpointBytes long.
const (
	LargeCheckpointID    = "ftckpt-0dd0000000000001-01"
	largeCheckpointBytes = 1 << 30
)

// edgeCaseJob describes one of the jobs that are always there, in every scenario.
type edgeCaseJob struct {
	name    string
	age     time.Duration // how long before the gateway began it was created
	length  time.Duration
	outcome scenario.Outcome
	failure string
	paused  time.Duration // after its creation; 0: not
	mangle  mangle
}

// waiting is a length that keeps a job waiting for days.
const waiting = 40 * 24 * time.Hour

// drop takes members out of a record.
func drop(names ...string) func(record, string) {
	return func(r record, _ string) {
		for _, name := range names {
			delete(r, name)
		}
	}
}

// set puts a member in a record.
func set(name string, value any) func(record, string) {
	return func(r record, _ string) { r[name] = value }
}

// edgeCases have a job of every status and of every known deviation. Only id and status are promised for a job;
// anything else may be missing, null or of another type.
var edgeCases = []edgeCaseJob{
	{name: "large-adapter", age: 52 * time.Hour, length: 3 * time.Hour},
	{name: "diverging", age: 30 * time.Hour, length: 4 * time.Hour, outcome: scenario.Failed, failure: scenario.FailureDiverged},
	{name: "on-hold", age: 9 * time.Hour, length: 20 * time.Hour, paused: 7 * time.Hour},
	{name: "just-arrived", age: 10 * time.Minute, length: waiting},
	{name: "in-the-queue", age: waiting / 10, length: waiting, mangle: mangle{job: set("estimated_finish", 0)}},
	{name: "waiting-for-quota", age: waiting / 9, length: waiting, mangle: mangle{job: func(r record, status string) {
		if status == string(scenario.Queued) {
			r["status"] = "pending"
		}
	}}},
	{name: "ending-early", age: 8 * time.Hour, length: 20 * time.Hour, paused: 7 * time.Hour, mangle: mangle{job: set("status", "stopping_soon")}},
	{name: "called-off", age: 77 * time.Hour, length: 2 * time.Hour, outcome: scenario.Cancelled},
	{name: "never-created", age: 41 * time.Hour, length: 2 * time.Hour, mangle: mangle{job: drop("created_at")}},
	{name: "never-finished", age: 64 * time.Hour, length: 2 * time.Hour, mangle: mangle{job: set("finished_at", nil)}},
	{name: "no-error", age: 70 * time.Hour, length: 2 * time.Hour, mangle: mangle{job: set("error", record{})}},
	{name: "left-to-the-platform", age: 85 * time.Hour, length: 2 * time.Hour, mangle: mangle{job: func(r record, _ string) {
		given := record{"n_epochs": "auto", "batch_size": "auto", "learning_rate_multiplier": "auto"}
		r["hyperparameters"], r["method"] = given, record{"type": "supervised", "supervised": record{"hyperparameters": given}}
	}}},
	{name: "other-types", age: 90 * time.Hour, length: 2 * time.Hour, mangle: mangle{
		job: func(r record, _ string) {
			r["trained_tokens"], r["seed"], r["metadata"] = "many", "42", []string{}
			r["hyperparameters"], r["result_files"], r["suffix"], r["error"] = "default", nil, 7, "none"
		},
		checkpoint: func(r record, n int) {
			switch n {
			case 0:
				delete(r, "created_at")
			case 1:
				r["step_number"], r["metrics"] = "a few", record{}
			case 2:
				r["metrics"] = nil
			}
		},
		event: func(r record, n int) {
			switch n % 5 {
			case 1:
				delete(r, "created_at")
			case 3:
				r["data"], r["level"] = "none", nil
			}
		},
	}},
	{name: "nearly-empty", age: 96 * time.Hour, length: 2 * time.Hour, mangle: mangle{
		job: func(r record, _ string) {
			for name := range r {
				if name != "id" && name != "status" {
					delete(r, name)
				}
			}
		},
		checkpoint: func(r record, _ int) {
			for name := range r {
				if name != "id" {
					delete(r, name)
				}
			}
		},
	}},
}

// newEdgeCaseJobs makes the edge cases of a gateway that began at a time. They occupy no nodes.
func newEdgeCaseJobs(begun time.Time) []job {
	jobs := make([]job, len(edgeCases))
	for i, o := range edgeCases {
		seed := edgeCaseSeed + uint64(i)
		created := begun.Add(-o.age).UnixMilli()
		made := scenario.NewJob(scenario.Spec{
			Seed: seed, Name: o.name, Model: models[i%8].id, Created: created, Length: o.length, Checkpoints: 4,
			Epochs: 3, BatchSize: 16, LearningRate: 2e-5, Outcome: o.outcome, Failure: o.failure,
		})
		if o.paused > 0 {
			made = made.PausedSince(created + o.paused.Milliseconds())
		}
		jobs[i] = fromScenario(made)
		jobs[i].mangle = o.mangle
	}
	return jobs
}
