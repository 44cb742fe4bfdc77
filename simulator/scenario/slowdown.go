package scenario

import (
	"math"
	"slices"
	"time"
)

// SlowdownKind is why GPUs are slow.
type SlowdownKind string

// What slows one GPU, the InfiniBand port of one node, or a pool.
const (
	Hot         SlowdownKind = "hot"          // a GPU lowers its clock because of heat
	PowerCapped SlowdownKind = "power-capped" // a GPU lowers its clock because of a power limit
	SlowClock   SlowdownKind = "slow-clock"   // the clock of a GPU is low, and nothing says why
	SlowPCIe    SlowdownKind = "slow-pcie"    // transfers to a GPU are repeated, and it waits for them
	BadLink     SlowdownKind = "bad-link"     // a node's port receives garbled packets
	Congested   SlowdownKind = "congested"    // the kernels of a pool wait for the network between nodes
)

// kinds are all there are.
var kinds = []SlowdownKind{Hot, PowerCapped, SlowClock, SlowPCIe, BadLink, Congested}

// Slowdown is a time in which the jobs of a training pool proceed at a part of their pace. GPUs that train together wait for the
// slowest of them in each step, in kernels that run but compute nothing.
type Slowdown struct {
	Kind       SlowdownKind
	Pool       NodePool
	GPU        GPU // the culprit; Index is -1 if it is a node, and Node too if it is the pool
	Start, End int64
	Pace       float64 // from 0 to 1
}

// At reports whether it goes on at t.
func (d *Slowdown) At(t int64) bool { return t >= d.Start && t < d.End }

// apply is the load of the pool meanwhile. Only training is slowed.
func (d *Slowdown) apply(load *Load) {
	if load.Tensor < 0.05 {
		return
	}
	load.Tensor *= d.Pace
	load.Network *= d.Pace
	if d.Kind == Congested {
		load.Congestion = 1
	}
}

// Slowdowns returns all slowdowns. The caller must not change them.
func (s *Scenario) Slowdowns() []Slowdown { return s.slowdowns }

// slowdownsOf are the slowdowns of a pool.
func (s *Scenario) slowdownsOf(pool NodePool) []Slowdown {
	return slices.DeleteFunc(slices.Clone(s.slowdowns), func(d Slowdown) bool { return d.Pool != pool })
}

// usualSlowdowns are a GPU that is always hot, and those of the incidents.
func (s *Scenario) usualSlowdowns(now int64) []Slowdown {
	all := []Slowdown{{Kind: Hot, Pool: Pretraining, GPU: s.Straggler(), Start: s.begin, End: math.MaxInt64, Pace: 0.74}}
	if at, ok := s.Since(Congestion); ok {
		all = append(all, Slowdown{Kind: Congested, Pool: FineTuning, GPU: GPU{-1, -1}, Start: at, End: math.MaxInt64, Pace: 0.05})
	}
	if at, ok := s.Since(PastSlowdowns); ok {
		some := randomSlowdowns(s.fleet, now-Past.Milliseconds(), at-24*3600e3)
		all = append(all, slices.DeleteFunc(some, func(d Slowdown) bool { return d.Pool == Pretraining && d.Kind != Congested })...)
	}
	return all
}

// randomSlowdowns are some of each kind in a time, each of 20 minutes to 6 hours. On a pool there is one at a time, about two a day.
func randomSlowdowns(fleet *Fleet, from, to int64) []Slowdown {
	var all []Slowdown
	for pool := Pretraining; pool < Serving; pool++ {
		first, end := fleet.Range(pool)
		if first == end {
			continue
		}
		d := &dice{Mix(seed, uint64(pool), 9)}
		for at := from + d.between(time.Hour, 12*time.Hour); at < to; at += d.between(2*time.Hour, 14*time.Hour) {
			slow := Slowdown{Pool: pool, Start: at, End: min(to, at+d.between(20*time.Minute, 6*time.Hour)), GPU: GPU{-1, -1}}
			node := first + int(d.next()%uint64(end-first))
			index := int(d.next() % uint64(fleet.GPUsPerNode))
			slow.Kind = kinds[d.next()%uint64(len(kinds))]
			share := d.unit()
			switch slow.Kind {
			case Congested:
				slow.Pace = 0.02 + 0.04*share
			case BadLink:
				slow.GPU, slow.Pace = GPU{node, -1}, 0.4+0.4*share
			default:
				slow.GPU, slow.Pace = GPU{node, index}, 0.5+0.35*share
			}
			all = append(all, slow)
			at = slow.End
		}
	}
	return all
}
