package metrics

import "slices"

// rollupFamilies are recorded by the platform for each node, over its GPUs, every minute.
func (w *labelSets) rollupFamilies() []family {
	return collect(everyMinute, dimensions{w.pools}, []family{
		{Name: "vendor_node:node_gpu_utilization:ratio_avg_1m", Type: Gauge, value: averaged(func(s *series, m *moment) float64 { return gpuUtil(s, m) / 100 })},
		{Name: "vendor_node:node_gpu_memory_utilization:ratio_avg_1m", Type: Gauge, value: averaged(func(s *series, m *moment) float64 { return memoryUsed(s, m) / framebuffer })},
		{Name: "vendor_node:node_gpu_temperature:p95_1m", Type: Gauge, value: percentile95(gpuTemperature)},
		{Name: "vendor_node:node_gpu_power:p95_1m", Type: Gauge, value: percentile95(gpuPower)},
	})
}

// perGPU returns what the formula gives for every GPU of the series' node. The next call reuses the slice.
func (m *moment) perGPU(s *series, f formula) []float64 {
	if m.members == nil {
		perNode := s.labelSets.fleet.GPUsPerNode
		m.members, m.values = make([]series, perNode), make([]float64, perNode)
		for g := range m.members {
			m.members[g] = *s
			s.labelSets.becomeGPU(&m.members[g], s.node*perNode+g)
		}
	}
	for g := range m.members {
		m.values[g] = f(&m.members[g], m)
	}
	return m.values
}

func averaged(f formula) formula {
	return func(s *series, m *moment) float64 {
		sum := 0.0
		values := m.perGPU(s, f)
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	}
}

// percentile95 interpolates as PromQL's quantile does.
func percentile95(f formula) formula {
	return func(s *series, m *moment) float64 {
		values := m.perGPU(s, f)
		slices.Sort(values)
		rank := 0.95 * float64(len(values)-1)
		low := int(rank)
		high := min(low+1, len(values)-1)
		return values[low] + (values[high]-values[low])*(rank-float64(low))
	}
}
