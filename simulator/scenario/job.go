package scenario

import (
	"math"
	"time"
)

// Outcome is how a job ends.
type Outcome string

// The ways in which a job ends.
const (
	Succeeded Outcome = "succeeded"
	Failed    Outcome = "failed"
	Cancelled Outcome = "cancelled"
)

// Phase is a stretch of a job's life, from Start up to, not including, End.
type Phase struct {
	Kind       PhaseKind
	Start, End int64
}

// Job is one training run. It holds every node of its pool from its first loading phase to its end.
type Job struct {
	ID           string // "ftjob-…", stable
	Name         string // short, readable: what its pods are called
	Model        string // base model
	NodePool     NodePool
	Nodes        int // how many of the pool's nodes it uses: all of them
	Created      int64
	Started      int64 // first phase on GPUs; 0 if it never got that far
	Finished     int64
	Planned      int64 // when it was to finish, had it not failed or been cancelled
	Outcome      Outcome
	Failure      string // why a failed job failed
	Phases       []Phase
	Epochs       int
	BatchSize    int
	LearningRate float64
	StepTime     time.Duration // wall-clock time of one training step
	Steps        int           // optimizer steps planned
	Pathology    Pathology     // what goes wrong with its loss, or ""
	WrongFrom    int           // the last step before that
	seed         uint64
}

// Phase returns the phase at t; false before the job was created and once it has finished.
func (j *Job) Phase(t int64) (Phase, bool) {
	for _, p := range j.Phases {
		if t >= p.Start && t < p.End {
			return p, true
		}
	}
	return Phase{}, false
}

// cut ends the job early: phases that would come later are gone.
func (j *Job) cut(at int64) {
	j.Finished = at
	for i, p := range j.Phases {
		if p.End >= at {
			j.Phases[i].End = at
			j.Phases = j.Phases[:i+1]
			return
		}
	}
}

// Step returns how many optimizer steps are done at t. Only warm-up and training make steps.
func (j *Job) Step(t int64) int {
	var worked int64
	for _, p := range j.Phases {
		if p.Start >= t {
			break
		}
		if p.Kind == Warmup || p.Kind == Training {
			worked += min(p.End, t) - p.Start
		}
	}
	return min(int(worked/j.StepTime.Milliseconds()), j.Steps)
}

// tokensPerSequence is how long a sequence of a batch is.
const tokensPerSequence = 4096

// TokensPerStep returns how many tokens a step trains on, over all nodes.
func (j *Job) TokensPerStep() int64 { return int64(j.BatchSize) * int64(j.Nodes) * tokensPerSequence }

// TimeOf returns when a step is done; false if the job doesn't get that far.
func (j *Job) TimeOf(step int) (int64, bool) {
	left := int64(step) * j.StepTime.Milliseconds()
	for _, p := range j.Phases {
		if p.Kind != Warmup && p.Kind != Training {
			continue
		}
		if left <= p.End-p.Start {
			return p.Start + left, true
		}
		left -= p.End - p.Start
	}
	return 0, false
}

// Checkpoints returns when the checkpoints that are complete at t were, oldest first. One that the job's end interrupts is not.
func (j *Job) Checkpoints(t int64) []int64 {
	var done []int64
	for _, p := range j.Phases {
		if p.Kind == Checkpointing && p.End <= t && p.End < j.Finished {
			done = append(done, p.End)
		}
	}
	return done
}

// Loss returns the training loss after a step: a power law that falls to a floor, with the noise of the batches. The
// loss of a job that fails because of it rises in the last third of its steps, and is not a number at their end.
func (j *Job) Loss(step int) float64 {
	start, floor := 1.9+1.4*Unit(Mix(j.seed, 1)), 0.45+0.5*Unit(Mix(j.seed, 2))
	noise := (Unit(Mix(j.seed, 3, uint64(step))) - 0.5) * 0.05
	learned := float64(step) / float64(j.Steps)
	return (floor + (start-floor)*math.Pow(1+40*learned, -0.62)) * (1 + noise) * j.divergence(step) * j.wrong(step)
}

func (j *Job) divergence(step int) float64 {
	if j.Failure != FailureDiverged {
		return 1
	}
	switch share := float64(step) / float64(max(j.Step(j.Finished), 1)); {
	case share < 0.66:
		return 1
	case share < 0.97:
		return math.Exp(9 * (share - 0.66))
	default:
		return math.NaN()
	}
}

// warmupShare is the part of the steps in which the learning rate rises.
const warmupShare = 0.05

// LearningRateAt returns the learning rate at a step: linear warm-up, then a cosine down to a tenth.
func (j *Job) LearningRateAt(step int) float64 {
	progress := float64(step) / float64(j.Steps)
	if progress < warmupShare {
		return j.LearningRate * (float64(step) + 1) / (float64(j.Steps)*warmupShare + 1)
	}
	cosine := (1 + math.Cos(math.Pi*(progress-warmupShare)/(1-warmupShare))) / 2
	return j.LearningRate * (0.1 + 0.9*cosine)
}

// forever is how long a job stays paused for good.
const forever = 365 * 24 * time.Hour

// PausedSince returns the job as it is if it is paused for good at t.
func (j Job) PausedSince(t int64) Job {
	j.Finished = t + forever.Milliseconds()
	j.Planned = j.Finished
	j.stay(Paused, t)
	return j
}

// stay makes the job do one thing from a time to its end.
func (j *Job) stay(in PhaseKind, from int64) {
	end := j.Finished
	j.cut(from)
	j.Finished = end
	j.Phases = append(j.Phases, Phase{in, from, end})
}
