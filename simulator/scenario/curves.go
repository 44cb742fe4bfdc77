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

// learnedShare is the share of the steps from which something was learned.
func (j *Job) learnedShare(step int) float64 {
	return float64(step) / float64(j.Steps)
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

const (
	// spikeBlocks is into how many stretches a job is divided, of which each may have a harmless spike: PaLM's loss spiked roughly 20
	// times during its training (arXiv 2204.02311, section 5.1).
	spikeBlocks = 40
	// spikeChance is how many of them have one.
	spikeChance = 0.03
)

// bump is a harmless spike of the loss, as a factor: 5 % to 60 % high, and over after some steps.
func (j *Job) bump(step int) float64 {
	length := max(j.Steps/spikeBlocks, 1)
	block := uint64(step / length)
	if Unit(Mix(j.seed, 64, block)) >= spikeChance || block == 0 {
		return 1
	}
	since := float64(step%length)/float64(length) - 0.3*Unit(Mix(j.seed, 65, block))
	if since < 0 {
		return 1
	}
	return 1 + (0.05+0.55*Unit(Mix(j.seed, 66, block)))*math.Exp(-since*9)
}

// sway is a slow change of the loss, as a factor: batches of neighboring steps are from the same part of the data.
func (j *Job) sway(step int) float64 {
	length := max(j.Steps/swayBlocks, 1)
	block, share := uint64(step/length), float64(step%length)/float64(length)
	from, to := Unit(Mix(j.seed, 67, block)), Unit(Mix(j.seed, 67, block+1))
	return 1 + swayHeight*(from+(to-from)*share-0.5)
}

const (
	swayBlocks = 60
	swayHeight = 0.02
)
