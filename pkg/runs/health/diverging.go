package health

import (
	"fmt"
	"slices"
)

const (
	// divergingNoise is how far the level is above its best at least, in deviations of the sway. The lowest of hundreds of levels is two
	// deviations of a level below the trend, and one of a level is half of one of a point.
	divergingNoise = 5
	// divergingShare is how far it is above at least, as a share of the improvement so far: rounded and nearly perfect values have no noise.
	divergingShare = 0.06
	// newestNoise is how far each of the newest points is above the best level, in deviations of the sway, if their level is not yet far
	// enough. With 3.5, 17 of 1,500 healthy curves with correlated noise were found to diverge, with 4 ten, with 4.5 three.
	newestNoise = 4.5
	// newestPoints is how many these are: one alone is a spike, and two may be.
	newestPoints = 3
	// divergingKept is how much of the highest of the newest points must be left. Less is coming back: a spike falls by half within some
	// points.
	divergingKept = 0.6
	// divergingNewest is how many points that are, as many as a level and what makes it.
	divergingNewest = 8
)

// diverging finds a level, the median of five points, that left its best one and is not coming back:
//
//	level(now) - level(best) ≥ max(5 deviations of the sway, 6 % of the improvement so far)
//
// or each of the newest three points is above it by 4.5 deviations and that share, which is sooner; and the newest point is not
// below 60 % of the highest of the newest eight, so that a spike that recovers is no divergence. It is the criterion of
// generalization loss of Prechelt (1998, doi.org/10.1007/3-540-49430-8_3), with the sway of the curve for a fixed share. A rise that
// is nothing in the unit of the metric is left out.
func (c *curve) diverging() *Finding {
	now := c.last()
	lowest := c.level[c.best]
	rise := c.level[now] - lowest
	threshold := max(divergingNoise*c.sway, divergingShare*c.improvement)
	highest := slices.Max(c.y[max(c.best, now-divergingNewest+1):])
	newest := slices.Min(c.y[now-newestPoints+1:]) - lowest
	if soon := max(newestNoise*c.sway, divergingShare*c.improvement); newest >= soon {
		rise, threshold = newest, soon
	}
	if rise < threshold || !c.matters(c.level[now], lowest) || c.y[now]-lowest < divergingKept*(highest-lowest) {
		return nil
	}
	// It left where the level was last near the best.
	since := now
	for since > c.best && c.y[since-1]-lowest > threshold/3 {
		since--
	}
	f := &Finding{Kind: Diverging, Since: c.points[since], Value: c.value(c.level[now]), Certainty: certaintyOf(rise, threshold)}
	direction := "above"
	if c.direction == Higher {
		direction = "below"
	}
	f.Evidence = fmt.Sprintf("The median of the newest %d points is %s, %s the best, %s%s, by %.0f times the noise.",
		smoothing, number(f.Value), direction, number(c.value(lowest)), where(c.points[c.best]), rise/c.noise)
	return f
}
