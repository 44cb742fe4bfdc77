package scenario

import (
	"math"
	"slices"
)

// SlowdownKind is why GPUs are slow.
type SlowdownKind string

// What slows one GPU, or a pool.
const (
	Hot         SlowdownKind = "hot"          // a GPU lowers its clock because of heat
	PowerCapped SlowdownKind = "power-capped" // a GPU lowers its clock because of a power limit
	SlowClock   SlowdownKind = "slow-clock"   // the clock of a GPU is low, and nothing says why
	SlowPCIe    SlowdownKind = "slow-pcie"    // transfers to a GPU are repeated, and it waits for them
	Congested   SlowdownKind = "congested"    // the kernels of a pool wait for the network between nodes
)

// Slowdown is a time in which the jobs of a training pool proceed at a part of their pace. GPUs that train together wait for the
// slowest of them in each step, in kernels that run but compute nothing.
type Slowdown struct {
	Kind       SlowdownKind
	Pool       NodePool
	GPU        GPU // the culprit; Node is -1 if it is the pool
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
func (s *Scenario) usualSlowdowns() []Slowdown {
	all := []Slowdown{{Kind: Hot, Pool: Pretraining, GPU: s.Straggler(), Start: s.begin, End: math.MaxInt64, Pace: 0.74}}
	if at, ok := s.Since(Congestion); ok {
		all = append(all, Slowdown{Kind: Congested, Pool: FineTuning, GPU: GPU{Node: -1}, Start: at, End: math.MaxInt64, Pace: 0.05})
	}
	return all
}
