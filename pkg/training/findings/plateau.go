package findings

import (
	"fmt"
	"math"
)

const (
	// plateauPoints is how many points a curve has at least.
	plateauPoints = 45
	// plateauWindow is which share of the points is looked at, the newest.
	plateauWindow = 3
	// plateauGain is the improvement within the window below which it is a plateau, as a share of all improvement. A power law
	// with the exponents of fine-tuning still gains some percent in its last third.
	plateauGain = 0.01
)

// plateau finds that the newest third of the points improved by less than 1 % of all improvement: by the slope of Theil and
// Sen, and by the better end of its 95 % interval still by less than twice that. Where the noise is too high to tell, it finds
// nothing. Learning curves are power laws (Hestness et al., arXiv 1712.00409), which flatten without an end, so it says that
// more training gains little, and not that something is wrong.
func (c *curve) plateau() *Finding {
	n := len(c.y)
	if n < plateauPoints || c.improvement < divergingNoise*c.noise {
		return nil
	}
	from := n - n/plateauWindow
	x := make([]float64, n-from)
	for i := range x {
		x[i] = float64(i)
	}
	center, low, high := slope(x, c.y[from:])
	// condense leaves maxSlopePoints points, whose distance is the number of points that each stands for.
	width := float64(len(x) - 1)
	gain, most, least := -center*width, -low*width, -high*width
	if math.IsNaN(center) || gain > plateauGain*c.improvement || most > 2*plateauGain*c.improvement || least < -divergingShare*c.improvement {
		return nil
	}
	return &Finding{
		Kind: Plateau, Since: c.points[from], Value: c.value(c.level[c.last()]), Certainty: Possible,
		Evidence: fmt.Sprintf("The newest third of the points, %d, gained %s of all improvement, and at most %s.",
			len(x), percent(max(gain, 0)/c.improvement), percent(max(most, 0)/c.improvement)),
	}
}
