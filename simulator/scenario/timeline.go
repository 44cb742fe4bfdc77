package scenario

import (
	"math"
	"slices"
	"sort"
)

// segment is a stretch of constant load that lasts until the next segment's start.
type segment struct {
	start  int64
	load   Load
	before Load // accumulated from the scenario's beginning to start
}

// timeline is the load of one pool over time. What is written is never changed, only added to.
type timeline []segment

func (tl timeline) add(start int64, load Load) timeline {
	var before Load
	if n := len(tl); n > 0 {
		last := &tl[n-1]
		before = last.before.Plus(&last.load, float64(start-last.start)/1000)
	}
	return append(tl, segment{start, load, before})
}

// addJobs adds the phases of a week's jobs on a pool, and idleness between them.
func (tl timeline) addJobs(jobs []Job, pool NodePool, congested int64) timeline {
	for i := range jobs {
		for _, p := range jobs[i].Phases {
			load, busy := loads[p.Kind]
			if !busy {
				continue
			}
			load.Tensor *= 0.9 + 0.1*Unit(Mix(jobs[i].seed, 4)) // no two jobs are alike
			if pool == Pretraining {
				load.slow(HotPace)
			}
			if pool != FineTuning || p.Start < congested {
				tl = tl.add(p.Start, load)
			}
			if pool == FineTuning && p.End > congested {
				load.congest()
				tl = tl.add(max(p.Start, congested), load)
			}
		}
		tl = tl.add(jobs[i].Finished, idle)
	}
	return tl
}

// servingSlot is how long the load of the serving pool stays the same.
const servingSlot = 15 * 60 * 1000

// addServing adds a week of inference traffic: a daily wave, higher on workdays, with bursts. From a time on hardly any is left.
func (tl timeline) addServing(number, shift, lost int64) timeline {
	from := weekStart + number*week
	for at := from; at < from+week; at += servingSlot {
		hour := float64(at%(24*3600e3)) / 3600e3
		wave := 0.5 - 0.5*math.Cos((hour-3)/24*2*math.Pi)
		if weekday := (at/(24*3600e3) + 4) % 7; weekday == 0 || weekday == 6 {
			wave *= 0.55
		}
		burst := 0.12 * Unit(Mix(seed, uint64(Serving), uint64(at)))
		requests := min(0.15+0.7*wave+burst, 1)
		load := Load{
			Time: 1, Compute: 0.985, Tensor: 0.05 + 0.4*requests, Memory: 0.78 + 0.15*requests,
			Network: 0.05 * requests, Read: 0.03, Requests: requests,
		}
		start := at + shift
		if start < lost {
			tl = tl.add(start, load)
		}
		if start+servingSlot > lost {
			load.Compute, load.Tensor, load.Network, load.Requests = 0.12, 0.02, 0, 0.02
			tl = tl.add(max(start, lost), load)
		}
	}
	return tl
}

// Reader reads one pool's load. It remembers where it was, so reading forwards in time costs next to
// nothing. It is not safe for concurrent use.
type Reader struct {
	tl timeline
	i  int
}

// at finds the segment that t is in; false before the scenario's beginning.
func (r *Reader) at(t int64) (*segment, bool) {
	n := len(r.tl)
	if n == 0 || t < r.tl[0].start {
		return nil, false
	}
	for ahead := 0; ahead < 2; ahead++ {
		i := r.i + ahead
		if i < n && r.tl[i].start <= t && (i+1 == n || t < r.tl[i+1].start) {
			r.i = i
			return &r.tl[i], true
		}
	}
	r.i = sort.Search(n, func(i int) bool { return r.tl[i].start > t }) - 1
	return &r.tl[r.i], true
}

// At returns the load at t.
func (r *Reader) At(t int64) Load { return *r.Peek(t) }

// Peek is At without a copy. The caller must not change what it returns.
func (r *Reader) Peek(t int64) *Load {
	s, ok := r.at(t)
	if !ok {
		return &idle
	}
	return &s.load
}

// Until returns the load accumulated from the scenario's beginning to t. No part of it ever falls.
func (r *Reader) Until(t int64) Load {
	var sum Load
	r.Sum(t, &sum)
	return sum
}

// Sum is Until without a copy: it sets sum.
func (r *Reader) Sum(t int64, sum *Load) {
	s, ok := r.at(t)
	if !ok {
		*sum = Load{}
		return
	}
	*sum = s.before
	sum.add(&s.load, float64(t-s.start)/1000)
}

// overlapping returns the jobs of a sorted list that are alive somewhere in [from, to].
func overlapping(jobs []Job, from, to int64) []Job {
	first := sort.Search(len(jobs), func(i int) bool { return jobs[i].Finished > from })
	end := sort.Search(len(jobs), func(i int) bool { return jobs[i].Created > to })
	if first >= end {
		return nil
	}
	return slices.Clip(jobs[first:end])
}
