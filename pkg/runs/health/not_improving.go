package health

import (
	"fmt"
	"math"
)

const (
	// improvingPoints is how many points a curve has at least: warming up the learning rate takes some percent of most runs.
	improvingPoints = 45
	// improvedShare is which improvement would have been seen, as a share of the value, or of what is left of an accuracy. Fine-tuning that works may improve by a few percent.
	// It is a choice of what is no effect.
	improvedShare = 0.015
	// improvementErrors is how many standard errors the improvement is surely below that: nineteen of twenty differences are within two.
	improvementErrors = 2
	// independentPoints is how many points without correlation a third is worth at least. Of fewer the correlation can't be known.
	independentPoints = 10
	// medianError × the deviation of n points ÷ √n is the standard error of their median: √(π/2).
	medianError = 1.25
)

// notImproving finds that the median of the newest third of the points is better by less than improvedShare than that of the first
// third, and than that of the first five less their noise, in which some curves gain all: training has had no effect, as with a learning
// rate of zero or labels that say nothing. Where such an improvement could hide in the noise, nothing is said.
func (c *curve) notImproving() *Finding {
	third := len(c.y) / 3
	if len(c.y) < improvingPoints {
		return nil
	}
	usual, now := Median(c.y[:third]), Median(c.y[len(c.y)-third:])
	first := max(usual, c.level[smoothing-1]-c.noise)
	varies := max(deviation(c.y), c.noise)
	worth := float64(third) * independence(c.y)
	surely := first - now + improvementErrors*medianError*varies*math.Sqrt(2/worth)
	least := improvedShare
	if !c.isLogarithmic() {
		least *= leftOf(c.value(usual), c.direction)
	}
	if worth < independentPoints || surely >= least {
		return nil
	}
	certainty, better := possible, "better by less than "+percent(improvedShare)
	if now > first {
		certainty = likely
	}
	if now > usual {
		better = "no better"
	}
	return &Finding{
		Kind: NotImproving, Since: c.points[0], Value: c.value(now), Certainty: certainty,
		Evidence: fmt.Sprintf("The median of the newest %d points is %s, and that of the first was %s: %s.", third, number(c.value(now)), number(c.value(usual)), better),
	}
}

// leftOf is what an improvement is a share of: the value, or what is left to 1 or 100 of an accuracy that is near it.
func leftOf(value float64, direction Direction) float64 {
	if direction == Higher && value >= 0 && value <= 100 {
		best := 1.0
		if value > best {
			best = 100
		}
		return min(value, best-value)
	}
	return math.Abs(value)
}

// independence is as how many values without correlation each of some counts: (1 - r) / (1 + r) with a correlation r of neighbors, which is
// 1 - half of the mean square of their differences, as a share of the variance.
func independence(values []float64) float64 {
	center, squares, differences := Median(values), 0.0, 0.0
	for i, value := range values {
		squares += (value - center) * (value - center)
		if i > 0 {
			differences += (value - values[i-1]) * (value - values[i-1])
		}
	}
	if differences >= 2*squares {
		return 1
	}
	differing := differences / squares / 2
	return differing / (2 - differing)
}
