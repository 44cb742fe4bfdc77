package scenario

import "math"

// Queue is the state of the Slurm scheduler, which manages the nodes of the training pools.
type Queue struct {
	Pending     [Serving]int // jobs waiting, by partition: one a pool
	Running     int          // jobs
	Failed      int          // jobs ended so in the past day
	OutOfMemory int          // jobs ended so in the past day
	TimedOut    int          // jobs ended so in the past day

	Allocated, Mixed, Idle, Down, Drained int // nodes
}

// queueSlot is how often people submit and cancel jobs, in milliseconds.
const queueSlot = 5 * 60 * 1000

// Queue returns the scheduler's state at t. The queue grows on workday mornings, shrinks at night, and
// is longer while the pool's nodes are taken.
func (s *Scenario) Queue(t int64) Queue {
	var q Queue
	p := s.until(t)
	for pool := Pretraining; pool < Serving; pool++ {
		first, end := s.fleet.Range(pool)
		nodes := end - first
		busy := (&Reader{tl: p.timelines[pool]}).At(t).Compute > 0
		q.Pending[pool] = s.waiting(pool, t, busy)
		switch {
		case busy:
			q.Allocated += nodes
			q.Running++
		default:
			q.Idle += nodes
		}
		for _, j := range overlapping(p.jobs[pool], t-24*3600e3, t) {
			if j.Finished > t || j.Outcome != Failed {
				continue
			}
			switch j.Failure {
			case failures[0]:
				q.OutOfMemory++
			case failures[2]:
				q.TimedOut++
			default:
				q.Failed++
			}
		}
	}
	if q.Idle > 0 && (t/queueSlot)%36 < 6 {
		// Debug sessions share a node for half an hour every three hours.
		q.Idle--
		q.Mixed++
	}
	s.takeOut(&q, t)
	return q
}

// waiting returns the length of one partition's queue.
func (s *Scenario) waiting(pool NodePool, t int64, busy bool) int {
	hour := float64(t%(24*3600e3)) / 3600e3
	wave := bell((hour-10.5)/2.5) + 0.7*bell((hour-16)/2)
	if weekday := (t/(24*3600e3) + 4) % 7; weekday == 0 || weekday == 6 {
		wave *= 0.25
	}
	if !busy {
		wave *= 0.3
	}
	jitter := Unit(Mix(seed, uint64(pool), uint64(t/queueSlot), 8))
	return int(wave*[Serving]float64{6, 14, 30}[pool]*(0.75+0.5*jitter) + 1.6*jitter)
}

// bell is a curve that is 1 at 0 and falls to both sides.
func bell(x float64) float64 { return math.Exp(-x * x) }

// takeOut drains the node of a GPU failure until it is repaired; for the last hour it is down.
func (s *Scenario) takeOut(q *Queue, t int64) {
	for _, i := range s.NodeFailures(t-repair.Milliseconds(), t) {
		from := &q.Idle
		if q.Idle == 0 {
			from = &q.Allocated
		}
		if *from == 0 {
			continue
		}
		*from--
		if i.Repaired-t < 3600e3 {
			q.Down++
		} else {
			q.Drained++
		}
	}
}
