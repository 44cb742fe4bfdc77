package health

import (
	"math"
	"slices"
	"time"
)

const (
	// etaPoints is how many reported steps an ETA takes: with fewer, there are no earlier estimates to learn from.
	etaPoints = 6
	// mostBlocks is into how many parts a run is divided to see whether its pace changed: each is a twentieth of its steps.
	mostBlocks = 20
	// slowStart is by how much each part of a slow start takes longer than what follows, as a share. Pauses make the parts of a
	// steady run differ, but not all of the first ones.
	slowStart = 0.05
	// slowerPace is by how much each part takes longer since a run became slower, as a share, and slowerPoints how many reports it
	// takes to tell that from pauses.
	slowerPace, slowerPoints = 0.15, 40
	// clockResolution is how far two times in whole seconds are from the difference that they stand for, at most.
	clockResolution = time.Second
	// learnedShare is which share of the largest error of seven earlier estimates of the same run an interval has on either side. It was
	// chosen on 43 public runs, of which 87 % finished in it at a quarter, the half and three quarters; of 74 others, 91 % did.
	learnedShare = 0.6
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
}

// Interval is a duration, and between what it is nine times out of ten.
type Interval struct{ Center, Low, High time.Duration }

// EndingOf is how long runs took after their last step. It is zero for none.
func EndingOf(endings []time.Duration) Interval {
	if len(endings) == 0 {
		return Interval{}
	}
	values := make([]float64, len(endings))
	for i, ending := range endings {
		values[i] = ending.Seconds()
	}
	return Interval{seconds(Median(values)), seconds(quantile(values, 0.05)), seconds(quantile(values, 0.95))}
}

// ETA is when a run will finish, with the ends of an interval in which it does nine times out of ten.
type ETA struct {
	At, Low, High time.Time
	// SecondsPerStep is with pauses.
	SecondsPerStep float64
	// Slower is by how much the newest steps take longer than those before, as a share, if they do by more than 15 %.
	Slower float64
}

// EstimateFinish estimates when a run will finish: the time of the newest step + the steps left × the seconds per step + the usual
// ending.
//
// The seconds per step are the mean, with pauses, since a slow start ended or the run became slower: intervals of 0 s, as times in whole
// seconds have, are no less true than others. The interval is as wide as earlier estimates of the same run were wrong. It returns
// false for fewer than six steps, or if the number of steps is unknown. It takes O(n log n).
func EstimateFinish(p Progress) (ETA, bool) {
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
	training := max(p.Total-last.Step, 0) * eta.SecondsPerStep
	early := learnedShare * largestError(p.Points) * training
	late := max(early, unseenPauses*(p.Total-last.Step)/(p.Total-p.Points[0].Step)*training)
	eta.At = last.At.Add(seconds(training) + p.Ending.Center)
	eta.Low = last.At.Add(max(seconds(training-early)-clockResolution, 0) + p.Ending.Low)
	eta.High = last.At.Add(seconds(training+late) + clockResolution + p.Ending.High)
	return eta, true
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
	for i := len(paces) / 2; i >= 1; i-- {
		if slices.Min(surely[:i]) > (1+slowStart)*Median(paces[i:]) {
			return cuts[i], 0
		}
	}
	if len(points) < slowerPoints {
		return 0, 0
	}
	for i := len(paces) / 4; i <= len(paces)-len(paces)/4; i++ {
		if before := Median(paces[:i]); slices.Min(surely[i:]) > (1+slowerPace)*before {
			return cuts[i], secondsPerStep(points[cuts[i]:])/before - 1
		}
	}
	return 0, 0
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

// largestError is by which share earlier estimates of the same run missed what has happened since, at most.
func largestError(points []Point) float64 {
	largest := 0.0
	last := points[len(points)-1]
	for _, share := range []float64{0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8} {
		now := stepsDone(points, share)
		if now < etaPoints-2 || now > len(points)-3 {
			continue
		}
		then := points[:now+1]
		from, _ := presentPace(then)
		took, expected := last.At.Sub(points[now].At).Seconds(), (last.Step-points[now].Step)*secondsPerStep(then[from:])
		if expected > 0 {
			largest = max(largest, math.Abs(took/expected-1))
		}
	}
	return largest
}
