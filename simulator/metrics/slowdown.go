package metrics

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// byHeat is a formula with weights over the load that are others for the GPU that heat slows down.
func byHeat(healthy, hot scenario.Load) formula {
	return func(s *series, m *moment) float64 {
		if s.hot {
			return m.load.Dot(&hot)
		}
		return m.load.Dot(&healthy)
	}
}

// work is the share of time in which kernels run, and that in which tensor cores work. What a slow GPU does in a step takes it longer
// than its peers, who wait. So it works for more of the time, in cycles of a lower clock.
func work(compute, tensor float64) formula {
	return byHeat(scenario.Load{Compute: compute, Tensor: tensor}, scenario.Load{Compute: compute, Tensor: tensor / scenario.HotPace})
}

// watts is the power of a GPU. Dynamic power falls faster than the clock, because the voltage falls with it.
var watts = byHeat(scenario.Load{Time: 70, Compute: 70, Tensor: 800}, scenario.Load{
	Time: 70, Compute: 70 * math.Pow(scenario.HotPace, 1.6),
	Tensor: 800 * math.Pow(scenario.HotPace, 0.6), // the load is at this pace already
})

// powerViolation and thermalViolation are the milliseconds in which the clock of a GPU was lowered for a reason.
var (
	powerViolation   = byHeat(scenario.Load{Tensor: 60}, scenario.Load{})
	thermalViolation = byHeat(scenario.Load{}, scenario.Load{Compute: 1000 * 2.5 * (1 - scenario.HotPace)})
)
