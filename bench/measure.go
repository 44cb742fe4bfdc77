package main

import (
	"runtime"
	"slices"
	"time"
)

// measurement is what a piece of work takes each time it is done.
type measurement struct {
	time        time.Duration
	allocations uint64
}

// enough is how long a piece of work is repeated within a round, so that clocks and counters are fine enough.
const enough = 60 * time.Millisecond

// measure measures two pieces of work that take turns, so that a slow moment of the machine hits both. Times are those of the
// fastest round, which other programs disturbed least, allocations are medians; a round before them warms up.
func measure(rounds int, ours, theirs func() error) (a, b measurement, err error) {
	var all [2][]measurement
	var times [2]int
	for round := range rounds + 1 {
		for i, work := range []func() error{ours, theirs} {
			c, err := repeat(max(times[i], 1), work)
			if err != nil {
				return a, b, err
			}
			if round == 0 {
				times[i] = int(enough/max(c.time, time.Microsecond)) + 1
				continue
			}
			all[i] = append(all[i], c)
		}
	}
	return summary(all[0]), summary(all[1]), nil
}

func repeat(times int, work func() error) (measurement, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range times {
		if err := work(); err != nil {
			return measurement{}, err
		}
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return measurement{took / time.Duration(times), (after.Mallocs - before.Mallocs) / uint64(times)}, nil
}

func summary(all []measurement) measurement {
	var times []time.Duration
	var allocations []uint64
	for _, c := range all {
		times, allocations = append(times, c.time), append(allocations, c.allocations)
	}
	return measurement{slices.Min(times), median(allocations)}
}

func median[T time.Duration | uint64](all []T) T { return percentile(all, 50) }

// percentile sorts all and returns the value below which so many percent of them are.
func percentile[T time.Duration | uint64](all []T, percent int) T {
	slices.Sort(all)
	return all[min(len(all)*percent/100, len(all)-1)]
}

func timed(work func() error) (time.Duration, error) {
	start := time.Now()
	err := work()
	return time.Since(start), err
}
