package health

import (
	"fmt"
	"math"
	"slices"
)

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
	validation = slices.DeleteFunc(slices.Clone(validation), func(p Point) bool { return !isFinite(p.Value) })
	each := (len(validation) + mostEvaluations - 1) / mostEvaluations
	v := newCurve(thinned(validation, each), direction)
	if len(v.y) < evaluations {
		return nil
	}
	width := evaluationLevel
	if each > 1 {
		width = smoothing // there are enough
	}
	level := runningMedians(v.y, width)
	best, now := lowest(level, width-1), len(level)-1
	rise := level[now] - level[best]
	improvement := max(level[0], level[width-1]) - level[best]
	noise := max(min(noiseOf(v.y), swayOf(v.y)), v.rounding()) // of few evaluations, neighbors differ most by their trend
	noise *= 1 + 1/math.Sqrt(float64(len(v.y)))                // and their deviation is not known better
	threshold := max(overfittingNoise*noise, overfittingShare*improvement, noiseFloor)
	if now-best < patience || rise < threshold {
		return nil
	}
	f := &Finding{
		Kind: Overfitting, Since: v.points[best], Value: validation[len(validation)-1].Value, Certainty: certaintyOf(rise, threshold),
		Evidence: fmt.Sprintf("Validation was best%s with %s and is %s now, %d evaluations later",
			where(v.points[best]), number(v.value(level[best])), number(v.value(level[now])), (now-best)*each),
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

// mostEvaluations is how many values of a validation metric are looked at. More are of batches with each step, of which three are by chance far
// below all others, and three far above: where each of 100 to 500 steps has one with a noise of 20 %, 69 of 200 healthy runs were once found
// to overfit, and with these 3.
const mostEvaluations = 40

// thinned are the medians of so many points each.
func thinned(points []Point, each int) []Point {
	if each <= 1 {
		return points
	}
	var medians []Point
	for part := range slices.Chunk(points[:len(points)/each*each], each) {
		values := make([]float64, each)
		for i, p := range part {
			values[i] = p.Value
		}
		middle := part[each/2]
		medians = append(medians, Point{At: middle.At, Step: middle.Step, Value: Median(values)})
	}
	return medians
}

// after compares points by step, or by time if a step is unknown.
func after(a, b Point) bool {
	if a.Step == a.Step && b.Step == b.Step { // neither is NaN
		return a.Step > b.Step
	}
	return a.At.After(b.At)
}
