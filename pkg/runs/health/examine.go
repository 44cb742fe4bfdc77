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
		add(data.diverging())
	}
	switch {
	case len(all) > 0:
		return all
	case count < needed:
		return []Finding{tooFew(count, needed)}
	}
	return []Finding{{Kind: Healthy, Since: Point{Step: math.NaN()}, Certainty: likely, Evidence: fmt.Sprintf("Nothing was found in %d points.", count)}}
}

func tooFew(count, needed int) Finding {
	return Finding{
		Kind: TooFew, Since: Point{Step: math.NaN()}, Certainty: certain,
		Evidence: fmt.Sprintf("Too few points: %d, and it takes %d.", count, needed),
	}
}
