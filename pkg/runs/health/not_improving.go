package health

import "fmt"

const (
	// improvingPoints is how many points a curve has at least: warming up the learning rate takes some percent of most runs, and a median
	// of fifteen points is known to a third of their noise.
	improvingPoints = 45
	// improvingNoise is by how much the newest third is better than the first at least, in deviations of the noise. The difference of two
	// medians of fifteen points without a trend has a deviation of 0.46 of that: 1.25 × √(2/15).
	improvingNoise = 0.5
)

// notImproving finds that the median of the newest third of the points is no better than that of the first third, nor than that of the
// first five, less their noise, in which some curves gain all: training has had no effect, as with a learning rate of zero or labels
// that say nothing.
func (c *curve) notImproving() *Finding {
	third := len(c.y) / 3
	if len(c.y) < improvingPoints {
		return nil
	}
	first, now := max(Median(c.y[:third]), c.level[smoothing-1]-c.noise), Median(c.y[len(c.y)-third:])
	if first-now >= improvingNoise*c.noise && first > now {
		return nil
	}
	certainty := Possible
	if now > first {
		certainty = Likely
	}
	return &Finding{
		Kind: NotImproving, Since: c.points[0], Value: c.value(now), Certainty: certainty,
		Evidence: fmt.Sprintf("The median of the newest %d points is %s, and that of the first was %s.", third, number(c.value(now)), number(c.value(first))),
	}
}
