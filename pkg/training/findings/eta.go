package findings

import (
	"math"
	"time"
)

const (
	// etaPoints is how many reported steps an ETA takes.
	etaPoints = 6
	// pauseNoise is how much longer a pause makes the time between two reports, in deviations of these times.
	pauseNoise = 4
	// pauseShare is how much longer at least, as a share.
	pauseShare = 0.1
	// longPause is how many times the others a pause is that is not expected to come again, such as one by hand.
	longPause = 3
	// recentShare is the part of the reports that is the present, if the rate has changed.
	recentShare = 0.25
	// rateChange is by how much a rate has changed at least, as a share.
	rateChange = 0.15
	// unseenPauses is by how much a run of which no pause has been seen takes longer, as a share, and mostUnseenPauses at the most:
	// checkpoints of a few minutes in an hour.
	unseenPauses, mostUnseenPauses = 0.03, 0.1
	// leastMargin is how far the ends of an interval are away at least, as a share of the time left.
	leastMargin = 0.02
	// within90 is how many deviations 90 % are away at most.
	within90 = 1.645
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
	return Interval{seconds(median(values)), seconds(quantile(values, 0.05)), seconds(quantile(values, 0.95))}
}

// ETA is when a run will finish, with the ends of an interval in which it does nine times out of ten.
type ETA struct {
	At, Low, High time.Time
	// SecondsPerStep is without pauses.
	SecondsPerStep float64
	// Slower is by how much the newest steps take longer than those before, as a share, if they do by more than 15 %. It is negative if
	// they are faster.
	Slower float64
}

// pace is how a run makes steps.
type pace struct {
	rate, deviation float64 // seconds per step between pauses, and how much they vary
	rates           int
	slower          float64
	pause           float64 // seconds of a usual pause
	every           float64 // steps from one pause to the next
	sincePause      float64 // steps since the last one
}

// EstimateFinish estimates when a run will finish: the time of the newest step + the steps left × the seconds per step + the pauses
// left × the seconds of a pause + the usual ending.
//
// The seconds per step are the median over the reports, or over the newest quarter of them if these are slower or faster. Pauses,
// such as for checkpoints, are reports that come late; as many are expected as there were from step to step. The interval
// has the deviation of the rate, a pause more or less, and the endings of other runs. It returns false for fewer than six
// steps, or if the number of steps is unknown. It takes O(n log n).
func EstimateFinish(p Progress) (ETA, bool) {
	n := len(p.Points)
	if n < etaPoints || math.IsNaN(p.Total) {
		return ETA{}, false
	}
	made := paceOf(p.Points)
	if made.rate <= 0 || math.IsNaN(made.rate) {
		return ETA{}, false
	}
	last := p.Points[n-1]
	left := max(p.Total-last.Step, 0)
	training := left * made.rate
	var pausing, more, less float64
	if made.pause > 0 {
		pausing = made.pause * math.Floor((left+made.sincePause)/made.every)
		more, less = made.pause, min(made.pause, pausing)
	} else {
		pausing = unseenPauses * training
		more, less = mostUnseenPauses*training-pausing, pausing
	}
	margin := max(within90*made.deviation/math.Sqrt(float64(made.rates))*left, leastMargin*training)
	return ETA{
		At:  last.At.Add(seconds(training+pausing) + p.Ending.Center),
		Low: last.At.Add(seconds(max(training+pausing-margin-less, 0)) + p.Ending.Low), High: last.At.Add(seconds(training+pausing+margin+more) + p.Ending.High),
		SecondsPerStep: made.rate, Slower: made.slower,
	}, true
}

func paceOf(points []Point) pace {
	var times, rates, steps []float64 // of reports, and the steps that are done at each
	for i := 1; i < len(points); i++ {
		made, took := points[i].Step-points[i-1].Step, points[i].At.Sub(points[i-1].At).Seconds()
		if made > 0 && took > 0 {
			times, rates, steps = append(times, took), append(rates, took/made), append(steps, points[i].Step)
		}
	}
	usual := median(rates)
	threshold := max(pauseNoise*deviation(rates), pauseShare*usual)
	var between, excesses, pausedAt []float64
	for i, rate := range rates {
		if rate-usual > threshold {
			excesses, pausedAt = append(excesses, times[i]*(1-usual/rate)), append(pausedAt, steps[i])
		} else {
			between = append(between, rate)
		}
	}
	p := pace{rate: median(between), deviation: deviation(between), rates: len(between)}
	if recent := int(recentShare * float64(len(rates))); recent >= etaPoints {
		// All reports of the present, because those of a run that became slower look like pauses.
		now, before := median(rates[len(rates)-recent:]), median(rates[:len(rates)-recent])
		if change := now/before - 1; math.Abs(change) > rateChange {
			return pace{rate: now, deviation: deviation(rates[len(rates)-recent:]), rates: recent, slower: change}
		}
	}
	p.addPauses(points[0].Step, points[len(points)-1].Step, excesses, pausedAt)
	return p
}

// addPauses adds how long usual pauses are and how many steps are between two. A single one came after as many steps as the next
// will.
func (p *pace) addPauses(first, last float64, excesses, pausedAt []float64) {
	if len(excesses) == 0 {
		return
	}
	usual := median(excesses)
	var lengths, distances []float64
	before := first
	for i, excess := range excesses {
		if excess > longPause*usual {
			continue
		}
		lengths, distances = append(lengths, excess), append(distances, pausedAt[i]-before)
		before = pausedAt[i]
	}
	p.pause, p.every, p.sincePause = median(lengths), median(distances), last-before
}
