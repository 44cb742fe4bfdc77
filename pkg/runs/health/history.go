package health

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// History is what is known of the course of a training run.
type History struct {
	Curves []Curve
	// Progress has the steps of all metrics.
	Progress Progress
	// Newest is a step that is known before its metrics are, if there is one.
	Newest []Point
	// Running reports that the run goes on and is not paused.
	Running bool
	// LacksNewest reports that newer points may exist that are not known: that none comes says nothing then.
	LacksNewest bool
	// Start is when it began, and SignOfLife when it last said something new, such as that it begins again, if that is after the newest step.
	// Estimate is when it is to finish, as someone else says. They are zero if they are unknown.
	Start, SignOfLife, Estimate time.Time
	// Startup is how long its first step took.
	Startup time.Duration
}

// Result is what was found about a run.
type Result struct {
	// Findings are the most urgent first. There is at least one: that the run is healthy, or that there are too few points.
	Findings []Finding
	// HasEnough reports that a curve has enough points to find something.
	HasEnough bool
	// ETA is nil if it can't be estimated from the steps.
	ETA *ETA
	// Step is how many are made, or NaN.
	Step float64
}

// Examine finds what is wrong with a run, and when it will finish.
func (h History) Examine(now time.Time) Result {
	repeats := restarts(h.Progress.Points)
	h.Progress = withoutRestarts(h.Progress, repeats)
	h.Curves = slices.Clone(h.Curves)
	ofReward := slices.ContainsFunc(h.Curves, func(c Curve) bool { return c.Direction == Higher && hasWord(c.Metric, rewards) })
	for i := range h.Curves {
		c := &h.Curves[i]
		c.Points = current(c.Points, repeats)
		if ofReward && hasWord(c.Metric, []string{"loss"}) {
			c.Direction = UnknownDirection // that of a policy is of advantages, whose mean is zero, and of a penalty that grows
		}
	}
	result := Result{Step: math.NaN()}
	var wrong, fine []Finding
	for _, c := range h.Curves {
		c.Training, c.Quality = h.trainingOf(c), h.qualityOf(c)
		if isValidation(c.Metric) && !hasWord(c.Metric, losses) && slices.ContainsFunc(h.Curves, isValidationLoss) {
			c.Direction = UnknownDirection // the loss is judged, with it: by a class or a threshold each, many of these fall by chance
		}
		all := Examine(c)
		if gone := h.vanished(c); gone != nil && !h.LacksNewest && all[0].Kind != NotFinite {
			all = slices.Insert(all, 0, *gone)
		}
		for _, f := range all {
			result.HasEnough = result.HasEnough || f.Kind != TooFew
			f.Metric, f.Direction = c.Metric, c.Direction
			if f.IsWrong() {
				wrong = append(wrong, f)
			} else {
				fine = append(fine, f)
			}
		}
	}
	steps := slices.Clone(h.Progress.Points)
	for _, p := range h.Newest {
		if n := len(steps); n > 0 && p.Step > steps[n-1].Step && p.At.After(steps[n-1].At) {
			steps = append(steps, p)
		}
	}
	for i, p := range steps { // one that is reported late, as that of a checkpoint, is not where the run is
		if !(p.Step < result.Step) {
			result.Step = p.Step
		}
		steps[i].Step = result.Step
	}
	h.Progress.Points = steps
	if h.Running {
		if eta, ok := estimateFinish(h.Progress); ok {
			for _, at := range []*time.Time{&eta.At, &eta.Low} {
				if at.Before(now) {
					*at = now // it goes on
				}
			}
			if eta.High.Before(now) {
				eta.High = time.Time{}
			}
			result.ETA = &eta
		}
		made := h.Progress.MadeAt()
		if stalled := h.stalledAt(now); stalled != nil && made.IsZero() && !h.LacksNewest {
			wrong = append(wrong, *stalled)
			result.ETA = nil // the steps don't go on
		}
		if !h.Estimate.IsZero() && !h.Start.IsZero() {
			known := result.ETA
			if n := len(steps); n > 0 && result.Step-steps[0].Step < startShare*(h.Progress.Total-steps[0].Step) {
				known = nil
			}
			if late := lateFor(known, h.Estimate, h.Start, now); late != nil {
				wrong = append(wrong, *late)
			}
		}
	}
	slices.SortStableFunc(wrong, func(a, b Finding) int { return cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)) })
	if result.Findings = wrong; len(wrong) == 0 {
		result.Findings = []Finding{summary(fine)}
	}
	return result
}

// summary is one finding for metrics about which nothing was found: with enough points for at least one of them, or for none.
func summary(fine []Finding) Finding {
	if len(fine) == 0 {
		return tooFew(0, minPoints)
	}
	best := fine[max(0, slices.IndexFunc(fine, func(f Finding) bool { return f.Kind == Healthy }))]
	var names []string
	for _, f := range fine {
		if f.Kind == best.Kind {
			names = append(names, f.Metric)
		}
	}
	best.Evidence = strings.TrimSuffix(best.Evidence, ".") + ": " + strings.Join(names, ", ") + "."
	best.Metric, best.Direction = "", ""
	return best
}

// trainingOf are the points of the training metric beside a validation metric: the name is the same without the words that say
// on which data it is measured.
func (h History) trainingOf(c Curve) []Point {
	if !isValidation(c.Metric) {
		return nil
	}
	for _, other := range h.Curves {
		if !isValidation(other.Metric) && measureOf(other.Metric) == measureOf(c.Metric) {
			return other.Points
		}
	}
	return nil
}

func isValidationLoss(c Curve) bool { return isValidation(c.Metric) && hasWord(c.Metric, losses) }

// qualityOf are the validation metrics beside a validation loss that are no losses.
func (h History) qualityOf(c Curve) (quality []Curve) {
	if !hasWord(c.Metric, losses) {
		return nil
	}
	for _, other := range h.Curves {
		if isValidation(other.Metric) && !hasWord(other.Metric, losses) && other.Direction != UnknownDirection {
			quality = append(quality, other)
		}
	}
	return quality
}

func measureOf(metric string) string {
	without := slices.DeleteFunc(words(metric), func(word string) bool {
		return slices.Contains(validationWords, word) || word == "train" || word == "training" || word == "full"
	})
	return strings.Join(without, " ")
}
