package scenario

import "math"

// Pathology is what goes wrong with the loss of a job. The job goes on.
type Pathology string

// The pathologies.
const (
	Diverges Pathology = "diverges"  // the loss rises, until it is eight times what it was
	TurnsNaN Pathology = "turns-nan" // the loss is not a number
	Overfits Pathology = "overfits"  // the validation loss rises, and the training loss falls on
)

// wrongShare is how much of all steps came after what goes wrong began, 0 before it.
func (j *Job) wrongShare(step int) float64 {
	return max(0, float64(step-j.WrongFrom)/float64(max(j.Steps, 1)))
}

// wrong is what goes wrong with the loss, as a factor. How fast it does differs from job to job.
func (j *Job) wrong(step int) float64 {
	share, chance := j.wrongShare(step), Unit(Mix(j.seed, 63))
	if share == 0 {
		return 1
	}
	switch j.Pathology {
	case Diverges:
		// Twice after 2 % to 12 % of the steps.
		return min(math.Exp2(share/(0.02+0.1*chance)), 8)
	case TurnsNaN:
		return math.NaN()
	}
	return 1
}

// ValidLoss returns the validation loss after a step, which is a little above the training loss, and rises for a job that
// overfits.
func (j *Job) ValidLoss(step int) float64 {
	loss := j.Loss(step) * (1.04 + 0.05*Unit(Mix(j.seed, 31, uint64(step))))
	if j.Pathology != Overfits {
		return loss
	}
	// 40 % to 120 % more by the end, had it begun with the job.
	return loss * (1 + (0.4+0.8*Unit(Mix(j.seed, 63)))*j.wrongShare(step))
}
