package metrics

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// slowdownsOf has the slowdowns by their culprit.
func slowdownsOf(st *scenario.Scenario) map[scenario.GPU][]scenario.Slowdown {
	of := map[scenario.GPU][]scenario.Slowdown{}
	for _, d := range st.Slowdowns() {
		of[d.GPU] = append(of[d.GPU], d)
	}
	return of
}

// slowed is the load on a culprit that was accumulated in one of its slowdowns.
type slowed struct {
	by   *scenario.Slowdown
	load scenario.Load
}

// slowdown is what slows the culprit at t, or nil.
func (s *series) slowdown(t int64) *scenario.Slowdown {
	for i := range s.slowdowns {
		if d := &s.slowdowns[i]; d.At(t) {
			return d
		}
	}
	return nil
}

// accumulateSlowed sets the loads that a counter accumulated in slowdowns up to t, since its restart at the time since.
func (s *series) accumulateSlowed(m *moment, reader *scenario.Reader, since, t int64) {
	if len(s.slowdowns) == 0 {
		return
	}
	if m.slowed == nil {
		m.slowed = make([]slowed, 0, len(s.slowdowns))
	}
	m.slowed = m.slowed[:0]
	for i := range s.slowdowns {
		d := &s.slowdowns[i]
		from, to := max(d.Start, since), min(d.End, t)
		if from >= to {
			continue
		}
		var before, load scenario.Load
		s.accumulate(&before, reader, from)
		s.accumulate(&load, reader, to)
		m.slowed = append(m.slowed, slowed{d, load.Plus(&before, -1)})
	}
}

// weighSlow is a formula with weights over the load that are others while a culprit is slow; nil stands for a healthy one.
func weighSlow(weights func(d *scenario.Slowdown) scenario.Load) formula {
	healthy := weights(nil)
	return func(s *series, m *moment) float64 {
		if len(s.slowdowns) == 0 {
			return m.load.Dot(&healthy)
		}
		if m.slowed == nil {
			now := weights(s.slowdown(m.t))
			return m.load.Dot(&now)
		}
		sum := m.load.Dot(&healthy)
		for i := range m.slowed {
			slow := weights(m.slowed[i].by)
			sum += m.slowed[i].load.Dot(&slow) - m.slowed[i].load.Dot(&healthy)
		}
		return sum
	}
}

// lowersClock reports whether the GPU runs at a lower clock.
func lowersClock(d *scenario.Slowdown) bool {
	return d != nil && (d.Kind == scenario.Hot || d.Kind == scenario.PowerCapped || d.Kind == scenario.SlowClock)
}

func isKind(d *scenario.Slowdown, kind scenario.SlowdownKind) bool { return d != nil && d.Kind == kind }

// work are weights over the load of what a GPU does: kernels that run, and tensor cores at work. What a slow GPU does in a
// step takes it longer than its peers, who wait. So it works for more of the time, in cycles of a lower clock; one that waits for
// PCIe runs no kernel meanwhile.
func work(compute, tensor float64) func(d *scenario.Slowdown) scenario.Load {
	return func(d *scenario.Slowdown) scenario.Load {
		switch {
		case lowersClock(d):
			return scenario.Load{Compute: compute, Tensor: tensor / d.Pace}
		case isKind(d, scenario.SlowPCIe):
			return scenario.Load{Compute: compute * d.Pace, Tensor: tensor}
		}
		return scenario.Load{Compute: compute, Tensor: tensor}
	}
}

// power are watts. Dynamic power falls faster than the clock, because the voltage falls with it.
func power(d *scenario.Slowdown) scenario.Load {
	load := scenario.Load{Time: 70, Compute: 70, Tensor: 800}
	switch {
	case lowersClock(d):
		load.Compute *= math.Pow(d.Pace, 1.6)
		load.Tensor *= math.Pow(d.Pace, 0.6) // the load is at this pace already
	case isKind(d, scenario.SlowPCIe):
		load.Compute *= d.Pace
	}
	return load
}

// throttledBy are the milliseconds a second in which a clock is lowered for a reason, of a GPU that is slow for it.
func throttledBy(reason scenario.SlowdownKind, healthy scenario.Load) func(d *scenario.Slowdown) scenario.Load {
	return func(d *scenario.Slowdown) scenario.Load {
		if !isKind(d, reason) {
			return healthy
		}
		return scenario.Load{Compute: 1000 * min(0.95, 2.5*(1-d.Pace))}
	}
}

// pcie are bytes a second.
func pcie(weights scenario.Load) formula {
	follow, key := weighSlow(func(d *scenario.Slowdown) scenario.Load {
		if isKind(d, scenario.SlowPCIe) {
			return scenario.Load{}.Plus(&weights, 0.4)
		}
		return weights
	}), math.Float64bits(weights.Network)
	return func(s *series, m *moment) float64 {
		return math.Round(follow(s, m) * s.scale * (1 + 0.08*m.noise(s, key)))
	}
}

// replays come three times a minute to a GPU whose transfers fail, else hardly ever.
var replays = plus(rarely(2e-6), func(s *series, m *moment) float64 {
	return math.Floor(0.05 * float64(s.slowSeconds(scenario.SlowPCIe, m.t)))
})

// slowSeconds is for how long up to t a culprit was slow for a reason, since the scenario began.
func (s *series) slowSeconds(kind scenario.SlowdownKind, t int64) int64 {
	sum := int64(0)
	for i := range s.slowdowns {
		if d := &s.slowdowns[i]; d.Kind == kind && d.Start < t {
			sum += (min(t, d.End) - d.Start) / 1000
		}
	}
	return sum
}
