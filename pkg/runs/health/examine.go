package health

import (
	"fmt"
	"math"
)

// Curve is a metric of a run.
type Curve struct {
	Metric    string
	Direction Direction
	// Points are sorted by step, or by time where steps are unknown.
	Points []Point
	// Training is the training metric beside a validation metric, nil if there is none.
	Training []Point
	// Quality are the validation metrics beside a validation loss that say how good the model is, such as an accuracy.
	Quality []Curve
}

// mostMedians is about of how many medians a long curve is looked at again, then of half of them, and fewestMedians of how many at last: five of
// thousands of points are too few to see a slow divergence within noise. With these and worseThanAtFirst 205 of 236 divergences of made gateways are
// found, where 180 were with a hundred medians alone, and in no more of 998 healthy jobs.
const mostMedians, fewestMedians = 100, 25

// Examine are the findings about the values of a curve, at least one: that it is healthy, or that there are too few points.
// Of a curve whose direction is unknown, such as a counter or a learning rate, values that are not finite alone are found: it grows or
// jumps as it is meant to. It takes O(n log n) for n points.
func Examine(c Curve) []Finding {
	var all []Finding
	add := func(f *Finding) {
		if f != nil {
			all = append(all, *f)
		}
	}
	add(notFinite(c.Points))
	data := newCurve(c.Points, c.Direction)
	count, needed := len(data.points), minPoints
	switch {
	case c.Direction == UnknownDirection:
	case isValidation(c.Metric):
		needed = evaluations
		add(overfitting(c))
	case count >= minPoints:
		diverges := data.diverging()
		for medians := mostMedians; diverges == nil && medians >= fewestMedians && count >= 2*mostMedians; medians /= 2 {
			each := count / medians
			if diverges = newCurve(thinned(data.points, each), c.Direction).diverging(); diverges != nil {
				diverges.Evidence += fmt.Sprintf(" Each is the median of %d reports.", each)
			}
		}
		add(diverges)
	}
	last := Point{Step: math.NaN(), Value: math.NaN()}
	if count > 0 {
		last = data.points[data.last()]
	}
	switch {
	case len(all) > 0:
		return all
	case count < needed:
		return []Finding{tooFew(last, count, needed)}
	}
	return []Finding{{Kind: Healthy, Since: last, Value: last.Value, Certainty: likely, Evidence: fmt.Sprintf("Nothing was found in %d points.", count)}}
}

func tooFew(last Point, count, needed int) Finding {
	return Finding{
		Kind: TooFew, Since: last, Value: last.Value, Certainty: certain,
		Evidence: fmt.Sprintf("Too few points: %d, and it takes %d.", count, needed),
	}
}
