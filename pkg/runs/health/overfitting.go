package health

import (
	"fmt"
	"math"
	"slices"
)

const (
	// patience is how many evaluations have passed since the best at least, as in early stopping.
	patience = 3
	// evaluations is how many values of a validation metric it takes: the best, and those after it.
	evaluations = 1 + patience
	// generalizationLoss is how much worse than the best they are at least, as a share of it: the slowest of the criteria that Prechelt compares.
	generalizationLoss = 0.05
	// overfittingNoise is how far they are from it at least, in deviations of the noise. The best of forty is two below the trend, so all three
	// are two above it.
	overfittingNoise = 4
	// overfittingDigits is how far they are from it at least, in halves of the last digit: one more in it may be nothing.
	overfittingDigits = 3
)

// overfitting finds a validation metric that has been worse than its best for three evaluations, each of them by 5 % and by four
// deviations of its noise, while training improved since; or by twice as much, if too little is known of that. It is early stopping by
// generalization loss and patience: Prechelt (1998, doi.org/10.1007/3-540-49430-8_3). A model that becomes too sure of itself has a loss
// that rises while it still makes fewer errors (Guo et al., arXiv 1706.04599, section 3), so a loss is not judged where most of the validation
// metrics that say how good the model is are better now than at its best.
func overfitting(c Curve) *Finding {
	validation := slices.DeleteFunc(slices.Clone(c.Points), func(p Point) bool { return !isFinite(p.Value) })
	each := (len(validation) + mostEvaluations - 1) / mostEvaluations
	v := newCurve(thinned(validation, each), c.Direction)
	count := len(v.y)
	if count < evaluations {
		return nil
	}
	best, now := lowest(v.y, 0), slices.Min(v.y[count-patience:])
	rise := now - v.y[best]
	before := v.y[:count-patience] // whether the newest are ordinary is the question
	noise := min(noiseOf(before), swayOf(before)) * (1 + 1/math.Sqrt(float64(len(before))))
	threshold := max(overfittingNoise*noise, overfittingDigits*v.rounding(), v.share(generalizationLoss, v.y[best]))
	if count-1-best < patience || rise < threshold {
		return nil
	}
	f := &Finding{
		Kind: Overfitting, Since: v.points[best], Certainty: certaintyOf(rise, threshold),
		Evidence: fmt.Sprintf("Validation was best%s with %s, and the newest three, %d evaluations later, are %s at best",
			where(v.points[best]), number(v.value(v.y[best])), (count-1-best)*each, number(v.value(now))),
	}
	improved := 0
	for _, quality := range c.Quality {
		q := newCurve(quality.Points, quality.Direction)
		if then, _ := q.since(f.Since, 1); len(q.y) > 0 && Median(q.y[max(0, len(q.y)-patience):]) < then {
			improved++
		}
	}
	if 2*improved > len(c.Quality) {
		return nil
	}
	t := newCurve(c.Training, c.Direction)
	then, newest := t.since(f.Since, smoothing)
	switch {
	case len(t.y) < minPoints && f.Certainty == likely:
		f.Evidence += "; no training metric of it is known."
	case len(t.y) < minPoints || !(newest <= then):
		return nil
	default:
		f.Evidence += fmt.Sprintf(", while training improved from %s to %s.", number(t.value(then)), number(t.value(newest)))
	}
	return f
}

// since are the medians of so many values until a point, and of the newest; NaN if there is none until then.
func (c *curve) since(p Point, width int) (then, now float64) {
	after := slices.IndexFunc(c.points, func(other Point) bool { return after(other, p) })
	if after < 0 {
		after = len(c.y)
	}
	return Median(c.y[max(0, after-width):after]), Median(c.y[max(0, len(c.y)-width):])
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
