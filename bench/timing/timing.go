package timing

import (
	"runtime"
	"slices"
	"time"
)

// Measurement is what a piece of work takes each time it is done.
type Measurement struct {
	Time        time.Duration
	Allocations uint64
}

// enough is how long a piece of work is repeated within a round, so that clocks and counters are fine enough.
const enough = 60 * time.Millisecond

// Compare measures two pieces of work that take turns, so that a slow moment of the machine hits both. Which of them goes first
// alternates from round to round. Times are those of the fastest round, which other programs disturbed least, allocations are
// medians; a round before them warms up.
func Compare(rounds int, ours, theirs func() error) (a, b Measurement, err error) {
	sides := [2]*side{{work: ours}, {work: theirs}}
	for round := range rounds + 1 {
		for _, s := range Turns(round, sides[0], sides[1]) {
			if err := s.round(round == 0); err != nil {
				return a, b, err
			}
		}
	}
	return sides[0].summary(), sides[1].summary(), nil
}

// Turns is who goes first and who second in a round: a and b in even rounds, b and a in odd ones.
func Turns[T any](round int, a, b T) [2]T {
	if round%2 == 1 {
		return [2]T{b, a}
	}
	return [2]T{a, b}
}

// side is one of two pieces of work, and what each round measured.
type side struct {
	work   func() error
	times  int // that the work is repeated in a round
	rounds []Measurement
}

// round repeats the work. The round that warms up finds out how often the work is to be repeated.
func (s *side) round(warmUp bool) error {
	m, err := repeat(max(s.times, 1), s.work)
	if err != nil {
		return err
	}
	if warmUp {
		s.times = int(enough/max(m.Time, time.Microsecond)) + 1
		return nil
	}
	s.rounds = append(s.rounds, m)
	return nil
}

func repeat(times int, work func() error) (Measurement, error) {
	runtime.GC() // what the other side left behind is not collected at this one's cost
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range times {
		if err := work(); err != nil {
			return Measurement{}, err
		}
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return Measurement{took / time.Duration(times), (after.Mallocs - before.Mallocs) / uint64(times)}, nil
}

func (s *side) summary() Measurement {
	var times []time.Duration
	var allocations []uint64
	for _, m := range s.rounds {
		times, allocations = append(times, m.Time), append(allocations, m.Allocations)
	}
	return Measurement{slices.Min(times), Median(allocations)}
}

// Median sorts all and returns the value in the middle.
func Median[T time.Duration | uint64 | float64](all []T) T { return Percentile(all, 50) }

// Percentile sorts all and returns the value below which so many percent of them are.
func Percentile[T time.Duration | uint64 | float64](all []T, percent int) T {
	slices.Sort(all)
	return all[min(len(all)*percent/100, len(all)-1)]
}

// Of is how long a piece of work takes.
func Of(work func() error) (time.Duration, error) {
	start := time.Now()
	err := work()
	return time.Since(start), err
}
