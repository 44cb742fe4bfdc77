package health

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	// etaPoints is how many reported steps an ETA takes: with fewer, nothing tells how its pace wanders.
	etaPoints = 6
	// mostBlocks is into how many parts a run is divided to see whether its pace changed: each is a twentieth of its steps.
	mostBlocks = 20
	// slowStart is by how much each part of a slow start takes longer than what follows, as a share: compilation and a cold cache take half
	// longer and more, and a pace that moves from level to level differs by less.
	slowStart = 0.3
	// slowerPace is by how much each part takes longer since a run became slower, as a share, and slowerPoints how many reports it
	// takes to tell that from pauses.
	slowerPace, slowerPoints = 0.15, 40
	// usualDeviations is by how many deviations of the other parts as well: where the pace wanders, some parts differ by more. With none,
	// the finish of such runs was up to a tenth further off than by elapsed time ÷ steps.
	usualDeviations = 5
	// clockResolution is how far two times in whole seconds are from the difference that they stand for, at most.
	clockResolution = time.Second
	// paceParts is into how many parts a run is divided to see how much its pace wanders, and paceDeviations how many deviations of these
	// the time left is within. With eight parts, of which one may be of another pace, and three deviations, 86 to 99 % of 4,500 made runs
	// whose pace wanders by a tenth finished in the interval.
	paceParts, paceDeviations = 8, 3
	// slowingShare is by which share the newest of these parts takes longer at least than the first where steps take longer and longer, and
	// slowingErrors how many standard errors the trend differs from none. Of runs whose pace wanders for 60 reports, the
	// finish of nine in ten is known to 14 % at a quarter, as without it; with four errors to 19 %.
	slowingShare, slowingErrors = 0.2, 8
	// risingPairs is by how many more of the 28 pairs of these parts the later one takes longer, where steps take longer and longer: chance makes it so
	// many in one of sixty runs (Kendall's test). It does so whatever the curve, where slowing only sees a straight line.
	risingPairs = 18
	// unseenPace is by which share of the time left the pace may change either way although it has not yet, at the start; less as the run
	// goes on. It is what made three in hundred of these more.
	unseenPace = 0.15
	// unseenPauses is by which share of the time left a run may take longer in which no pause has been seen, at its start; less as
	// it goes on. Seven of ten fine-tuning runs of MLPerf Training, which are first evaluated half-way, took no more than that
	// longer at a quarter.
	unseenPauses = 0.25
)

// Progress is how far a run is.
type Progress struct {
	// Points have a step and a time, and are sorted by it.
	Points []Point
	// Total is the number of steps, or NaN.
	Total float64
	// Ending is what runs take after their last step, for an evaluation or to save the model.
	Ending Interval
	// Restarts is how often the run went on from a checkpoint, and Lost what that took, which the times of the points are without.
	Restarts int
	Lost     time.Duration
}

// MadeAt is when the last step was made, or zero if another report is due. That of the last steps may not be: it would be of one after them.
func (p Progress) MadeAt() time.Time {
	n := len(p.Points)
	if n == 0 {
		return time.Time{}
	}
	newest, left := p.Points[n-1], p.Total-p.Points[n-1].Step
	if p.Points[0].Step == 0 {
		left-- // the first is 0
	}
	switch {
	case left <= 0:
		return newest.At
	case left < usualDistance(p.Points):
		return newest.At.Add(seconds(left * secondsPerStep(p.Points)))
	}
	return time.Time{}
}

// Interval is a usual duration, and between what it is.
type Interval struct{ Center, Low, High time.Duration }

// EndingOf is how long runs take after their last step, as some did: in the middle, at least and at most. Of two in the middle it is
// the shorter: few runs take many times as long as the others, and none as much less. One of so many others and one more is beyond all of them on
// either side, so they say less the fewer they are: of one, half as long and twice. It is zero for none.
func EndingOf(endings []time.Duration) Interval {
	if len(endings) == 0 {
		return Interval{}
	}
	sorted := slices.Sorted(slices.Values(endings))
	n := time.Duration(len(sorted))
	return Interval{sorted[(n-1)/2], sorted[0] * n / (n + 1), sorted[n-1] * (n + 1) / n}
}

// ETA is when a run will finish, with the ends of an interval in which most do: docs/reference/accuracy.md says how many.
type ETA struct {
	At, Low, High time.Time
	// SecondsPerStep is with pauses.
	SecondsPerStep float64
	// Slower is by how much the newest steps take longer than those before, as a share, if they do by more than 15 %.
	Slower float64
}

// estimateFinish estimates when a run will finish: the time of the newest step + the steps left × the seconds per step + the usual
// ending.
//
// The seconds per step are the mean, with pauses, since a slow start ended or the run became slower: intervals of 0 s, as times in whole
// seconds have, are no less true than others. Where steps take longer and longer, as of sequences that grow, they are those of the newest
// steps, and it goes on. The interval is as wide as the pace of the run wanders, and to the later side by what may come again: restarts, and
// steps that take longer than before. It returns false for fewer than six steps, or if the number of steps is unknown. It takes O(n log n).
func estimateFinish(p Progress) (ETA, bool) {
	n := len(p.Points)
	if n < etaPoints || math.IsNaN(p.Total) || p.Points[n-1].Step <= p.Points[0].Step {
		return ETA{}, false
	}
	from, slower := presentPace(p.Points)
	eta := ETA{SecondsPerStep: secondsPerStep(p.Points[from:]), Slower: slower}
	if eta.SecondsPerStep <= 0 {
		return ETA{}, false
	}
	last := p.Points[n-1]
	left := max(p.Total-last.Step, 0)
	training := left * eta.SecondsPerStep
	early := wanders(p.Points[from:]) * training
	if now, further, before := slowing(p.Points[from:], p.Total); further > 0 {
		eta.SecondsPerStep, eta.Slower = now, now/before-1
		training, early = left*(now+further), left*further
	}
	unseen := (p.Total - last.Step) / (p.Total - p.Points[0].Step) * training
	early = max(early, unseenPace*unseen)
	late := max(early, unseenPauses*unseen)
	ahead := training / last.At.Sub(p.Points[0].At).Seconds()
	now, share := longer(p.Points[from:], slower)
	late = max(late, left*now*(1+share*again(1, ahead)/2)-training) // by half of it in the mean
	if p.Restarts > 0 {
		late += again(p.Restarts, ahead) * p.Lost.Seconds() / float64(p.Restarts)
	}
	eta.At = last.At.Add(seconds(training) + p.Ending.Center)
	eta.Low = last.At.Add(max(seconds(training-early)-clockResolution, 0) + p.Ending.Low)
	eta.High = last.At.Add(seconds(training+late) + clockResolution + p.Ending.High)
	return eta, true
}

// again is how many times what happened some times so far may happen in the time left, which is ahead times as long: the mean and a deviation of a
// negative binomial distribution, which is that of chance at a rate of which nothing else is known.
func again(times int, ahead float64) float64 {
	mean := float64(times+1) * ahead
	return mean + math.Sqrt(mean*(1+ahead))
}

// longer is how long a step takes now, and by which share that is longer than before: if it became slower, if the newest part is slower
// than others are by chance, or if each takes longer than the one before.
func longer(points []Point, slower float64) (now, share float64) {
	paces, _ := parts(points)
	if len(points) < slowerPoints || len(paces) < paceParts {
		return secondsPerStep(points), slower
	}
	rising := 0
	for i, pace := range paces {
		for _, later := range paces[i+1:] {
			rising += cmp.Compare(later, pace)
		}
	}
	newest, usual := paces[paceParts-1], Median(paces[:paceParts/2])
	if newest > usual && (rising >= risingPairs || newest > usuallyAtMost(paces[:paceParts-1], slowerPace)) {
		return newest, max(slower, newest/usual-1)
	}
	return secondsPerStep(points), slower
}

func secondsPerStep(points []Point) float64 {
	first, last := points[0], points[len(points)-1]
	return last.At.Sub(first.At).Seconds() / (last.Step - first.Step)
}

// presentPace is the position of the report since which a run has the pace that it has now, and by how much longer its steps take since
// then if it became slower.
func presentPace(points []Point) (from int, slower float64) {
	cuts := []int{0}
	count := min(mostBlocks, (len(points)-1)/2)
	for i := 1; i <= count; i++ {
		if cut := stepsDone(points, float64(i)/float64(count)); cut > cuts[len(cuts)-1] {
			cuts = append(cuts, cut)
		}
	}
	// What is slow has to be by more than its times are rounded.
	rounded := roundingOf(points).Seconds()
	paces, surely := make([]float64, len(cuts)-1), make([]float64, len(cuts)-1)
	for i := range paces {
		part := points[cuts[i] : cuts[i+1]+1]
		paces[i] = secondsPerStep(part)
		surely[i] = paces[i] - rounded/(part[len(part)-1].Step-part[0].Step)
	}
	for i := len(paces) * 2 / 5; i >= 1; i-- {
		if slices.Min(surely[:i]) > usuallyAtMost(paces[i:], slowStart) {
			return cuts[i], 0
		}
	}
	if len(points) < slowerPoints {
		return 0, 0
	}
	for i := len(paces) / 4; i <= len(paces)*3/5; i++ {
		if slices.Min(surely[i:]) > usuallyAtMost(paces[:i], slowerPace) {
			return cuts[i], secondsPerStep(points[cuts[i]:])/Median(paces[:i]) - 1
		}
	}
	return 0, 0
}

// usuallyAtMost is a pace that parts of a run don't have by chance: longer than their median by a share, and by usualDeviations.
func usuallyAtMost(paces []float64, share float64) float64 {
	usual := Median(paces)
	return usual + max(share*usual, usualDeviations*deviation(paces))
}

// roundingOf is how far a duration may be from the difference of two times: not at all, unless all are whole seconds.
func roundingOf(points []Point) time.Duration {
	if slices.ContainsFunc(points, func(p Point) bool { return p.At.Nanosecond() != 0 }) {
		return 0
	}
	return clockResolution
}

// stepsDone is the position of the first report at which a share of the steps so far was done.
func stepsDone(points []Point, share float64) int {
	first, last := points[0].Step, points[len(points)-1].Step
	return slices.IndexFunc(points, func(p Point) bool { return p.Step-first >= share*(last-first) })
}

// parts are paceParts parts of a run, or fewer if it has fewer reports: the seconds per step of each, and the step in its middle.
func parts(points []Point) (paces, middles []float64) {
	from := 0
	for i := 1; i <= paceParts; i++ {
		if to := stepsDone(points, float64(i)/paceParts); to > from {
			paces = append(paces, secondsPerStep(points[from:to+1]))
			middles = append(middles, (points[from].Step+points[to].Step)/2)
			from = to
		}
	}
	return paces, middles
}

// wanders is by which share the mean time of the steps left may differ from that of steps so far. Parts of a run say it, and not by the
// root of their number: a pace that wanders slowly, as on disks or networks that others use, may stay where it never was for long.
func wanders(points []Point) float64 {
	paces, _ := parts(points)
	mean, squares := secondsPerStep(points), 0.0
	for _, pace := range paces {
		squares += (pace/mean - 1) * (pace/mean - 1)
	}
	return paceDeviations * math.Sqrt(squares/max(float64(len(paces)-1), 1))
}

// slowing is how long a step takes now, and by how much longer those left take in the mean if the straight line through the parts of a run goes on,
// and how long one took at first. It is nothing where there is no such line.
func slowing(points []Point, total float64) (now, further, before float64) {
	paces, middles := parts(points)
	n := float64(len(paces))
	if len(points) < slowerPoints || n < paceParts || paces[paceParts-1] < (1+slowingShare)*paces[0] {
		return 0, 0, 0
	}
	pace, middle := 0.0, 0.0
	for i := range paces {
		pace, middle = pace+paces[i]/n, middle+middles[i]/n
	}
	products, squares, residuals := 0.0, 0.0, 0.0
	for i := range paces {
		products += (middles[i] - middle) * (paces[i] - pace)
		squares += (middles[i] - middle) * (middles[i] - middle)
	}
	slope := products / squares
	for i := range paces {
		residual := paces[i] - pace - slope*(middles[i]-middle)
		residuals += residual * residual
	}
	if slope < slowingErrors*math.Sqrt(residuals/(n-2)/squares) {
		return 0, 0, 0
	}
	left := (points[len(points)-1].Step + total) / 2 // the middle of the steps left
	return paces[paceParts-1], slope * (left - middles[paceParts-1]), paces[0]
}
