package scenario

import (
	"fmt"
	"time"
)

const (
	week = 7 * 24 * int64(time.Hour/time.Millisecond)
	// weekStart puts the week's boundary, at which a pool is idle, on Sunday 04:00 UTC.
	weekStart = (3*24 + 4) * int64(time.Hour/time.Millisecond)
	// weekShift is by how much each pool's week begins after that of the pool before: at no time are all of them idle.
	weekShift = 56 * int64(time.Hour/time.Millisecond)
)

// weekOf returns the number of the week that t is in.
func weekOf(t int64) int64 { return (t - weekStart) / week }

// profile is how the jobs of a pool look.
type profile struct {
	run, gap        [2]time.Duration // shortest and longest
	checkpointEvery [2]time.Duration
	models          []string
}

var profiles = [Serving]profile{
	Pretraining: {
		run: [2]time.Duration{7 * time.Hour, 26 * time.Hour}, gap: [2]time.Duration{20 * time.Minute, 70 * time.Minute},
		checkpointEvery: [2]time.Duration{50 * time.Minute, 80 * time.Minute},
		models:          []string{"meta-llama/Llama-3.3-70B-Instruct", "Qwen/Qwen3-235B-A22B"},
	},
	FineTuning: {
		run: [2]time.Duration{3 * time.Hour, 11 * time.Hour}, gap: [2]time.Duration{25 * time.Minute, 3 * time.Hour},
		checkpointEvery: [2]time.Duration{35 * time.Minute, 60 * time.Minute},
		models:          []string{"meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen3-32B", "google/gemma-3-27b-it"},
	},
	Experiments: {
		run: [2]time.Duration{50 * time.Minute, 4 * time.Hour}, gap: [2]time.Duration{15 * time.Minute, 90 * time.Minute},
		checkpointEvery: [2]time.Duration{20 * time.Minute, 40 * time.Minute},
		models:          []string{"meta-llama/Llama-3.2-3B-Instruct", "Qwen/Qwen3-4B", "mistralai/Mistral-7B-Instruct-v0.3"},
	},
}

var failures = []string{
	"CUDA out of memory: tried to allocate 2.50 GiB",
	FailureDiverged,
	"NCCL collective timed out",
	"data loader: malformed record in the training file",
}

// FailureDiverged is why a job failed whose loss rose instead of falling.
const FailureDiverged = "loss is not a number"

const gpuFailure = "GPU reported XID 48: double-bit ECC error"

// shortest is the time below which no further job is begun before the week's end.
const shortest = 90 * time.Minute

// jobsOf writes the jobs of one pool in one week, oldest first, later by shift. Weeks don't depend on one another.
func jobsOf(fleet *Fleet, pool NodePool, number, shift int64) []Job {
	p := profiles[pool]
	d := &dice{Mix(seed, uint64(pool), uint64(number))}
	first, end := fleet.Range(pool)
	var jobs []Job
	at := weekStart + number*week + int64(pool)*weekShift + shift
	limit := at + week - d.between(20*time.Minute, 50*time.Minute)
	for n := 0; ; n++ {
		at += d.between(p.gap[0], p.gap[1])
		if limit-at < shortest.Milliseconds() {
			return jobs
		}
		id := Mix(seed, uint64(pool), uint64(number), uint64(n), 7)
		j := Job{
			ID:           IDOf(id),
			Name:         fmt.Sprintf("%s-%04x", pool, id>>48),
			Model:        p.models[d.next()%uint64(len(p.models))],
			NodePool:     pool,
			Nodes:        end - first,
			Created:      at,
			Epochs:       1 + int(d.next()%4),
			BatchSize:    8 << (d.next() % 4),
			LearningRate: []float64{1e-5, 2e-5, 5e-5, 1e-4}[d.next()%4],
			StepTime:     time.Duration(1500+d.next()%4000) * time.Millisecond,
			Outcome:      Succeeded,
			seed:         id,
		}
		if n > 0 {
			j.retry(&jobs[n-1])
		}
		j.plan(d, p, min(at+d.between(p.run[0], p.run[1]), limit))
		j.end(d, isDoomed(pool, number, n))
		at = j.Finished
		jobs = append(jobs, j)
	}
}

// isDoomed reports whether a job is the one in four weeks that a failing GPU ends.
func isDoomed(pool NodePool, number int64, n int) bool {
	return pool == Pretraining && number%4 == 1 && n == 3
}

// retry gives a job the pod and the settings of the one before if that failed for a reason that can pass. Its steps begin again.
func (j *Job) retry(last *Job) {
	if last.Outcome != Failed || last.Failure == FailureDiverged {
		return
	}
	j.Name, j.Model, j.Epochs, j.BatchSize = last.Name, last.Model, last.Epochs, last.BatchSize
	j.LearningRate, j.StepTime = last.LearningRate, last.StepTime
}

// plan lays out the phases of a job that is to succeed by finish.
func (j *Job) plan(d *dice, p profile, finish int64) {
	at := j.Created
	add := func(kind PhaseKind, length int64) {
		end := min(at+length, finish)
		if end > at {
			j.Phases = append(j.Phases, Phase{Kind: kind, Start: at, End: end})
		}
		at = end
	}
	add(Validating, d.between(40*time.Second, 2*time.Minute))
	add(Queued, d.between(2*time.Minute, 15*time.Minute))
	j.Started = at
	add(Loading, d.between(4*time.Minute, 9*time.Minute))
	add(Warmup, d.between(2*time.Minute, 4*time.Minute))
	ending := d.between(8*time.Minute, 14*time.Minute)
	every := d.between(p.checkpointEvery[0], p.checkpointEvery[1])
	checkpoint := d.between(2*time.Minute, 4*time.Minute)
	for finish-at > every+checkpoint+ending {
		add(Training, every)
		add(Checkpointing, checkpoint)
	}
	add(Training, finish-ending-at)
	add(Evaluating, ending/2)
	add(Saving, finish-at)
	j.Finished, j.Planned = finish, finish
	j.Steps = 1 << 30 // not the limit while what was planned is counted
	j.Steps = max(j.Step(finish), 1)
}

// end decides how the job ends, and cuts its phases where it ends early.
func (j *Job) end(d *dice, doomed bool) {
	chance, share := d.unit(), 0.15+0.7*d.unit()
	failure := failures[d.next()%uint64(len(failures))]
	switch {
	case doomed:
		j.Outcome, j.Failure = Failed, gpuFailure
	case chance < 0.11:
		j.Outcome, j.Failure = Failed, failure
	case chance < 0.19:
		j.Outcome = Cancelled
	default:
		return
	}
	j.cut(j.Started + int64(share*float64(j.Finished-j.Started)))
}
