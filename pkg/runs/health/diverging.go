package health

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	// divergingNoise is how far the level is above its best at least, in deviations of the sway. The lowest of hundreds of levels is two
	// deviations of a level below the trend, and one of a level is half of one of a point. With 5, twelve of a
	// thousand healthy curves that become flat were found to diverge, with 5.5 six; a loss that rises by 3 % a point is found a point later.
	divergingNoise = 5.5
	// leastRise is how far it is above at least, as a share of the best, with the first ten points three times as much: of few points, and of
	// noise that is correlated over many, what is usual is known badly. Without it, ten of 400 healthy fine-tuning runs with a correlation of
	// 0.95 were found to diverge, with it two; a loss that rises by 3 % a point is found as soon.
	leastRise, uncertainPoints = 0.05, 20
	// newestPoints is how many of the newest say whether what rose is coming back.
	newestPoints = 3
	// divergingKept is how much of the highest of the newest points must be left. Less is coming back: a spike falls by half within some
	// points.
	divergingKept = 0.6
	// divergingNewest is how many points that are, as many as a level and what makes it.
	divergingNewest = 8
)

const (
	// chanceImprovement is the improvement, in deviations of the sway, up to which the best level of a curve may be chance: noise alone has
	// levels of three deviations below the usual and three above.
	chanceImprovement = 10
	// shortNoise is how much larger noise is than the deviation of what was seen of it, where that is a few of its periods. Without it and
	// the median, 25 of 100 curves that improve by 2 to 12 % with a correlation of 0.95 were found to diverge.
	shortNoise = 1.5
	// newestSway is how much more than before a curve sways at most with its newest points: among twenty, a collapse would be their noise.
	newestSway = 3
)

// usual is what the level is compared with, and the sway around it: the best level, or the median where the best may be chance.
func (c *curve) usual() (level, sway float64) {
	settled := max(smoothing, len(c.y)-judged)
	ordinary := max(c.rounding(), noiseOf(c.y[:settled]), swayOf(c.y[:settled]))
	if c.improvement >= chanceImprovement*min(c.sway, ordinary) {
		return c.level[c.best], min(c.sway, newestSway*ordinary)
	}
	for start := Median(c.y[:settled]); settled > minPoints && c.level[settled-1] > start; {
		settled-- // it may be leaving
	}
	before := c.y[:settled]
	sway = max(c.sway, swayOf(before))
	if len(before) >= swayPoints { // fewer are mostly trend
		sway = max(sway, shortNoise*deviation(before))
	}
	return Median(before), sway
}

// diverging finds a level, the median of five points, that left its best one and is not coming back:
//
//	level(now) - level(best) ≥ max(5.5 deviations of the sway, 5 % of the best)
//
// and the newest point is not below 60 % of the highest of the newest eight, so that a spike that recovers is no divergence. Else it is one that is
// found by more points. It is the criterion of
// generalization loss of Prechelt (1998, doi.org/10.1007/3-540-49430-8_3), with the sway of the curve for a fixed share.
func (c *curve) diverging() *Finding {
	now := c.last()
	lowest, sway := c.usual()
	rise := c.level[now] - lowest
	least := leastRise * (1 + uncertainPoints/float64(len(c.y)))
	if !c.isLogarithmic() {
		least *= math.Abs(c.value(lowest))
	}
	threshold := max(divergingNoise*sway, least)
	highest := slices.Max(c.y[max(c.best, now-divergingNewest+1):])
	if rise < threshold || c.y[now]-lowest < divergingKept*(highest-lowest) {
		return cmp.Or(c.shifted(), c.worseThanAtFirst())
	}
	// It left where two points were last near the best: one alone is chance.
	since := now
	for since > c.best && max(c.y[since-1], c.y[since-2])-lowest > threshold/3 {
		since--
	}
	f := &Finding{Kind: Diverging, Since: c.points[since], Value: c.value(c.level[now]), Certainty: certaintyOf(rise, threshold)}
	direction := "above"
	if c.direction == Higher {
		direction = "below"
	}
	f.Evidence = fmt.Sprintf("The median of the newest %d points is %s, %s the best, %s%s, by %.0f times the noise.",
		smoothing, number(f.Value), direction, number(c.value(c.level[c.best])), where(c.points[c.best]), (c.level[now]-c.level[c.best])/c.noise)
	return f
}

const (
	// shiftErrors is how many standard errors the newest points are above those before. With 5, none of 2,146 healthy curves was found to diverge either.
	shiftErrors = 6
	// leastShift is by which share they are worse at least. Losses of two public runs rose by 13 % and came back.
	leastShift = 0.15
	// shiftPoints is of how many of the newest points at least, and of those before: fewer are a spike, or are found by their level.
	shiftPoints = divergingNewest
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
	newest, before := c.y[from:], c.y[max(0, from-swayPoints):from]
	level, usual := Median(newest), Median(before)
	least := leastShift
	if !c.isLogarithmic() {
		least *= math.Abs(c.value(usual))
	}
	rise, threshold := level-usual, max(shiftErrors*standardError(newest, before, c.noise), least)
	comesBack := Median(newest[len(newest)-max(newestPoints, len(newest)/5):])-usual < divergingKept*rise
	if rise < threshold || comesBack || quantile(newest, 1-mostAbove) < quantile(before, mostAbove) {
		return nil
	}
	return &Finding{
		Kind: Diverging, Since: c.points[from], Value: c.value(level), Certainty: certaintyOf(rise, threshold),
		Evidence: fmt.Sprintf("The median of the newest %d points is %s, and that of the %d before was %s.",
			len(newest), number(c.value(level)), len(before), number(c.value(usual))),
	}
}

// worseThanAtFirst finds newest points that are worse than the first ones. One that diverges while it warms up has no level before that it could
// be compared with, nor a usual sway, and stays where it is for the rest of the run.
func (c *curve) worseThanAtFirst() *Finding {
	third := min(len(c.y)/3, swayPoints)
	if third < shiftPoints {
		return nil
	}
	newest, first := c.y[len(c.y)-third:], c.level[smoothing-1]
	level, least := Median(newest), leastShift
	if !c.isLogarithmic() {
		least *= math.Abs(c.value(first))
	}
	rise, threshold := level-first, max(divergingNoise*max(c.noise, swayOf(newest)), least)
	if rise < threshold || c.y[c.last()]-first < divergingKept*rise {
		return nil
	}
	return &Finding{
		Kind: Diverging, Since: c.points[c.best], Value: c.value(level), Certainty: certaintyOf(rise, threshold),
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
		start := max(0, i-swayPoints)
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
