package scenario

import (
	"fmt"
	"time"
)

// Spec describes a job that isn't part of the schedule.
type Spec struct {
	Seed         uint64 // the job's identity: its id, its losses
	Name         string // what its pods are called; "" makes one up
	Model        string
	Created      int64
	Length       time.Duration // from its creation to its end
	Checkpoints  int
	Epochs       int
	BatchSize    int
	LearningRate float64
	Outcome      Outcome // Succeeded if empty
	Failure      string
}

// The shares of a job's length that its phases take; training and checkpoints have the rest.
const (
	validatingShare = 0.08
	queuedShare     = 0.15
	loadingShare    = 0.05
	evaluatingShare = 0.05
	savingShare     = 0.04
	checkpointShare = 0.12 // of the rest
)

// NewJob lays out a job by its specification: it is a function of the specification alone. The job is on no nodes.
func NewJob(s Spec) Job {
	j := Job{
		ID: IDOf(s.Seed), Name: s.Name, Model: s.Model, NodePool: Experiments, Nodes: 1, Created: s.Created, Outcome: Succeeded,
		Epochs: s.Epochs, BatchSize: s.BatchSize, LearningRate: s.LearningRate, seed: s.Seed,
	}
	if j.Name == "" {
		j.Name = fmt.Sprintf("tuning-%04x", s.Seed>>48)
	}
	if s.Outcome == Failed {
		s.Checkpoints++ // the last of which isn't reached
	}
	j.layOut(s)
	switch s.Outcome {
	case Failed:
		j.Outcome, j.Failure = Failed, s.Failure
		last := j.last(Training)
		j.cut((last.Start + last.End) / 2)
	case Cancelled:
		j.Outcome = Cancelled
		j.cut(j.Started + (j.Finished-j.Started)*6/10)
	}
	return j
}

// IDOf returns the id of the job with the given identity.
func IDOf(seed uint64) string { return fmt.Sprintf("ftjob-%016x", seed) }

func (j *Job) layOut(s Spec) {
	length := float64(s.Length.Milliseconds())
	exact := float64(s.Created)
	add := func(kind PhaseKind, ms float64) {
		start := int64(exact)
		exact += ms
		j.Phases = append(j.Phases, Phase{Kind: kind, Start: start, End: int64(exact)})
	}
	add(Validating, validatingShare*length)
	add(Queued, queuedShare*length)
	j.Started = int64(exact)
	add(Loading, loadingShare*length)
	rest := length * (1 - validatingShare - queuedShare - loadingShare - evaluatingShare - savingShare)
	pieces := float64(max(s.Checkpoints, 1))
	for range s.Checkpoints {
		add(Training, rest*(1-checkpointShare)/pieces)
		add(Checkpointing, rest*checkpointShare/pieces)
	}
	if s.Checkpoints == 0 {
		add(Training, rest)
	}
	add(Evaluating, evaluatingShare*length)
	add(Saving, savingShare*length)
	j.Finished = s.Created + s.Length.Milliseconds()
	j.Phases[len(j.Phases)-1].End = j.Finished
	j.Planned = j.Finished
	j.countSteps(rest)
}

// countSteps divides the time of training, in milliseconds, into steps: of about two seconds in a long
// job, and enough for a curve in a short one.
func (j *Job) countSteps(training float64) {
	steps := max(training/2000, 60)
	j.StepTime = max(time.Duration(training/steps)*time.Millisecond, time.Millisecond)
	j.Steps = 1 << 30 // not the limit while what was planned is counted
	j.Steps = max(j.Step(j.Finished), 1)
}

// last returns the last phase of a kind.
func (j *Job) last(kind PhaseKind) (last Phase) {
	for _, p := range j.Phases {
		if p.Kind == kind {
			last = p
		}
	}
	return last
}
