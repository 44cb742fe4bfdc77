package health

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	// leastRise is by which share of what was before a curve that diverges is worse at least. Losses of two public runs rose by 13 % and came back.
	leastRise = 0.15
	// divergingNoise is how far it is worse at least, in deviations of the sway: the lowest of hundreds of levels is two deviations of a
	// level below the trend, and the sway is known no better than by a fifth.
	divergingNoise = 5.5
	// newestPoints is how many of the newest say whether what rose is coming back.
	newestPoints = 3
	// divergingKept is how much of the highest of the newest points must be left. Less is coming back: a spike falls by half within some
	// points.
	divergingKept = 0.6
)

// diverging finds a level, the median of five points, that left its best one and is not coming back:
//
//	level(now) - level(best) ≥ max(5.5 deviations of the sway, 15 % of the best)
//
// and the newest point is not below 60 % of the highest of the newest eight, so that a spike that recovers is no divergence. Else it is one that is
// found by more points.
func (c *curve) diverging() *Finding {
	now := c.last()
	lowest := c.level[c.best]
	rise, threshold := c.level[now]-lowest, max(divergingNoise*c.sway, c.share(leastRise, lowest))
	highest := slices.Max(c.y[max(c.best, now-judged+1):])
	if rise < threshold || c.y[now]-lowest < divergingKept*(highest-lowest) {
		return cmp.Or(c.shifted(), c.worseThanAtFirst())
	}
	// It left where two points were last near the best: one alone is chance.
	since := now
	for since > c.best && max(c.y[since-1], c.y[since-2])-lowest > threshold/3 {
		since--
	}
	f := &Finding{Kind: Diverging, Since: c.points[since], Certainty: certaintyOf(rise, threshold)}
	direction := "above"
	if c.direction == Higher {
		direction = "below"
	}
	f.Evidence = fmt.Sprintf("The median of the newest %d points is %s, %s the best, %s%s, by %.0f times the noise.",
		smoothing, number(c.value(c.level[now])), direction, number(c.value(c.level[c.best])), where(c.points[c.best]), (c.level[now]-c.level[c.best])/c.noise)
	return f
}

const (
	// shiftErrors is how many standard errors the newest points are above those before. With 5, none of 2,146 healthy curves was found to diverge either.
	shiftErrors = 6
	// shiftPoints is of how many of the newest points at least, and of those before: fewer are a spike, or are found by their level.
	shiftPoints = judged
	// mostAbove is which share of the newest points is above the same share of those before: a few high ones don't make a level.
	mostAbove = 0.9
)

// shifted finds newest points that are worse than those before although they sway: the more there are, the less of a rise it takes. Most of what the
// level of five points has to leave is the sway of a curve that improved by little.
func (c *curve) shifted() *Finding {
	from := c.rose()
	if from < 0 {
		return nil
	}
	newest, before := c.y[from:], c.y[max(0, from-window):from]
	level, usual := Median(newest), Median(before)
	rise, threshold := level-usual, max(shiftErrors*standardError(newest, before, c.noise), c.share(leastRise, usual))
	comesBack := Median(newest[len(newest)-max(newestPoints, len(newest)/5):])-usual < divergingKept*rise
	if rise < threshold || comesBack || quantile(newest, 1-mostAbove) < quantile(before, mostAbove) {
		return nil
	}
	return &Finding{
		Kind: Diverging, Since: c.points[from], Certainty: certaintyOf(rise, threshold),
		Evidence: fmt.Sprintf("The median of the newest %d points is %s, and that of the %d before was %s.",
			len(newest), number(c.value(level)), len(before), number(c.value(usual))),
	}
}

// worseThanAtFirst finds newest points that are worse than the first ones. One that diverges while it warms up has no level before that it could
// be compared with, nor a usual sway, and stays where it is for the rest of the run.
func (c *curve) worseThanAtFirst() *Finding {
	third := min(len(c.y)/3, window)
	if third < shiftPoints {
		return nil
	}
	newest, first := c.y[len(c.y)-third:], c.level[smoothing-1]
	level := Median(newest)
	rise, threshold := level-first, max(divergingNoise*max(c.noise, swayOf(newest)), c.share(leastRise, first))
	if rise < threshold || c.y[c.last()]-first < divergingKept*rise {
		return nil
	}
	return &Finding{
		Kind: Diverging, Since: c.points[c.best], Certainty: certaintyOf(rise, threshold),
		Evidence: fmt.Sprintf("The median of the newest %d points is %s, and that of the first %d was %s.", third, number(c.value(level)), smoothing, number(c.value(first))),
	}
}

// rose is the point from which on the mean level is most above that before, by the number of points of both; -1 if it is nowhere above.
func (c *curve) rose() int {
	sums := make([]float64, len(c.level)+1)
	for i, level := range c.level {
		sums[i+1] = sums[i] + level
	}
	n := len(c.level)
	at, most := -1, 0.0
	for i := shiftPoints; i <= n-shiftPoints; i++ {
		start := max(0, i-window)
		after, before := float64(n-i), float64(i-start)
		if above := ((sums[n]-sums[i])/after - (sums[i]-sums[start])/before) / math.Sqrt(1/after+1/before); above > most {
			at, most = i, above
		}
	}
	return at
}

// standardError is that of the difference of two medians, from the deviation of the points around each and their correlation.
func standardError(a, b []float64, noise float64) float64 {
	of := max(deviation(a), deviation(b), noise)
	return medianError * of * math.Sqrt(1/(float64(len(a))*independence(a))+1/(float64(len(b))*independence(b)))
}
