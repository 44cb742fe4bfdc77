package health

import (
	"math"
	"slices"
	"sort"
	"time"
)

// restart is where a run went on from a checkpoint: since a time it repeats steps, from one on.
type restart struct {
	at   time.Time
	step float64
}

const (
	// repeatShare is which share of the usual time repeated steps take at least: a run may go on with some times as many GPUs. Steps of
	// checkpoints that are reported late, all at once, take next to none.
	repeatShare = 0.1
	// sparser is how many times the usual distance of steps repeated ones are from each other at most: those of checkpoints that are made of a run
	// after its end, minutes apart as Azure OpenAI's, are further apart than what is reported of a restart.
	sparser = 3
)

// restarts are where steps begin again below one that was reported before. Points are sorted by time.
func restarts(points []Point) []restart {
	var all []restart
	highest := 0 // the position of the highest step
	for i := 1; i < len(points); i++ {
		if !(points[i].Step < points[i-1].Step) {
			if points[i].Step >= points[highest].Step {
				highest = i
			}
			continue
		}
		end := i
		for end+1 < len(points) && points[end+1].Step > points[end].Step && points[end+1].Step <= points[highest].Step {
			end++
		}
		took, usual := points[end].At.Sub(points[i].At).Seconds(), secondsPerStep(points[:highest+1])*(points[end].Step-points[i].Step)
		distance := (points[end].Step - points[i].Step) / float64(end-i)
		if end > i && took >= repeatShare*usual && distance <= sparser*usualDistance(points[:highest+1]) {
			all = append(all, restart{points[i].At, points[i].Step})
			highest = end
		}
		i = end
	}
	return all
}

// RestartedAt is when a run reported the first step since it last went on from a checkpoint, or zero. Points are sorted by time.
func RestartedAt(points []Point) (at time.Time) {
	for _, r := range restarts(points) {
		at = r.at
	}
	return at
}

// usualDistance is the median distance of steps that are reported one after the other.
func usualDistance(points []Point) float64 {
	var distances []float64
	for i := 1; i < len(points); i++ {
		if distance := points[i].Step - points[i-1].Step; distance > 0 {
			distances = append(distances, distance)
		}
	}
	return Median(distances)
}

// withoutRestarts is the progress of a run without the steps that restarts made void, and without the time that these took, which says nothing of
// its pace.
func withoutRestarts(p Progress, restarts []restart) Progress {
	p.Restarts = len(restarts)
	for _, r := range restarts {
		began := slices.IndexFunc(p.Points, func(p Point) bool { return !p.At.Before(r.at) })
		void := slices.IndexFunc(p.Points, func(p Point) bool { return p.Step >= r.step })
		lost := r.at.Sub(p.Points[void].At)
		before := slices.Clone(p.Points[:void])
		for i := range before {
			before[i].At = before[i].At.Add(lost)
		}
		p.Points = append(before, p.Points[began:]...)
		p.Lost += lost
	}
	return p
}

// Current are the points of a run, sorted by time, without those that its restarts from checkpoints made void. Without all times, nothing is known
// of these.
func Current(points []Point) []Point {
	if slices.ContainsFunc(points, func(p Point) bool { return p.At.IsZero() }) {
		return points
	}
	return current(points, restarts(points))
}

// current are the points without those that a restart made void. What was not finite stays, because it is why runs are restarted.
func current(points []Point, restarts []restart) []Point {
	if len(restarts) == 0 {
		return points
	}
	lowest, step := make([]float64, len(restarts)), math.Inf(1) // of each restart and those after it
	for i, r := range slices.Backward(restarts) {
		step = min(step, r.step)
		lowest[i] = step
	}
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool {
		next := sort.Search(len(restarts), func(i int) bool { return restarts[i].at.After(p.At) })
		return isFinite(p.Value) && next < len(restarts) && p.Step >= lowest[next]
	})
}
