package findings

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
	// Training is the training metric beside a validation metric, or nil.
	Training []Point
}

// Examine are the findings about the values of a curve, at least one: that it is healthy, or that there are too few points.
// It takes O(n) for n points, each with windows of fixed length.
func Examine(c Curve) []Finding {
	var all []Finding
	add := func(f *Finding) {
		if f != nil {
			all = append(all, *f)
		}
	}
	add(notFinite(c.Points))
	ongoing := len(all) > 0 && all[0].Active()
	data := newCurve(c.Points, c.Direction)
	count := len(data.points)
	last := Point{Step: math.NaN(), Value: math.NaN()}
	if count > 0 {
		last = data.points[data.last()]
	}
	if c.Training != nil {
		add(overfitting(c.Points, c.Training, c.Direction))
		if len(all) == 0 && count < evaluations {
			return []Finding{tooFew(last, count, evaluations)}
		}
	}
	if count >= minPoints {
		spiked := data.spike()
		if c.Direction != UnknownDirection && c.Training == nil {
			diverges := data.diverging()
			add(diverges)
			if diverges != nil && spiked != nil && spiked.Until == nil {
				spiked = nil // the begin of the divergence
			}
			if diverges == nil && !ongoing {
				add(data.plateau())
			}
		}
		add(spiked)
	}
	switch {
	case len(all) > 0:
		return all
	case count < minPoints && c.Training == nil:
		return []Finding{tooFew(last, count, minPoints)}
	}
	return []Finding{{Kind: Healthy, Since: last, Value: last.Value, Certainty: Likely, Evidence: fmt.Sprintf("Nothing was found in %d points.", count)}}
}

func tooFew(last Point, count, needed int) Finding {
	return Finding{
		Kind: TooFew, Since: last, Value: last.Value, Certainty: Certain,
		Evidence: fmt.Sprintf("Too few points: %d, and it takes %d.", count, needed),
	}
}
