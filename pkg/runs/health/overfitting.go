package health

import "fmt"

const (
	// evaluations is how many values of a validation metric it takes: a level at the best, and one after it.
	evaluations = 6
	// evaluationLevel is over how many of them a level is the median, so that one outlier does not move it.
	evaluationLevel = 3
	// patience is how many evaluations have passed since the best at least, as in early stopping: all of the newest level is after it.
	patience = 3
	// overfittingNoise is how far the level is above its best at least, in deviations of the noise. The lowest of tens of levels
	// is one and a half below the trend, and the newest is one above it once in six times.
	overfittingNoise = 3
	// overfittingShare is how far it is above at least, as a share of the improvement so far: the slowest of the
	// criteria of generalization loss that Prechelt compares has 5 %, too.
	overfittingShare = 0.05
)

// overfitting finds a validation metric that is worse than its best for at least three evaluations, by three deviations of its
// noise and 5 % of its improvement, while the training metric went on improving and does not diverge; or by twice as much, if that is not known. It
// is early stopping by generalization loss and patience: Prechelt (1998, doi.org/10.1007/3-540-49430-8_3).
func overfitting(validation, training []Point, direction Direction) *Finding {
	v := newCurve(validation, direction)
	if len(v.y) < evaluations {
		return nil
	}
	level := runningMedians(v.y, evaluationLevel)
	best := evaluationLevel - 1
	for i := best; i < len(level); i++ {
		if level[i] < level[best] {
			best = i
		}
	}
	now := len(level) - 1
	rise := level[now] - level[best]
	improvement := max(level[0], level[evaluationLevel-1]) - level[best]
	noise := max(min(noiseOf(v.y), swayOf(v.y)), v.rounding()) // of few evaluations, neighbors differ most by their trend
	threshold := max(overfittingNoise*noise, overfittingShare*improvement, noiseFloor)
	if now-best < patience || rise < threshold {
		return nil
	}
	f := &Finding{
		Kind: Overfitting, Since: v.points[best], Value: v.points[now].Value, Certainty: certaintyOf(rise, threshold),
		Evidence: fmt.Sprintf("Validation was best%s with %s and is %s now, %d evaluations later",
			where(v.points[best]), number(v.value(level[best])), number(v.value(level[now])), now-best),
	}
	t := newCurve(training, direction)
	switch {
	case training == nil && f.Certainty == likely:
		f.Evidence += "; no training metric of it is known."
		return f
	case len(t.y) < minPoints || t.diverging() != nil:
		return nil
	}
	at := len(t.y) - 1
	for at > 0 && after(t.points[at], v.points[best]) {
		at--
	}
	improved := t.level[at] - t.level[t.last()]
	if at < smoothing-1 || improved < 0 {
		return nil
	}
	f.Evidence += fmt.Sprintf(", while training improved from %s to %s.", number(t.value(t.level[at])), number(t.value(t.level[t.last()])))
	return f
}

// after compares points by step, or by time if a step is unknown.
func after(a, b Point) bool {
	if a.Step == a.Step && b.Step == b.Step { // neither is NaN
		return a.Step > b.Step
	}
	return a.At.After(b.At)
}
