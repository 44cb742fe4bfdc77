package metrics

import "slices"

// rollupFamilies are recorded by the platform for each node, over its GPUs, every minute.
func (w *world) rollupFamilies() []Family {
	return collect(everyMinute, shape{w.pools}, []Family{
		{Name: "vendor_node:node_gpu_utilization:ratio_avg_1m", Type: Gauge, Unit: "ratio", Help: "GPU utilisation of the node, averaged over its GPUs.", value: averaged(func(s *series, m *moment) float64 { return gpuUtil(s, m) / 100 })},
		{Name: "vendor_node:node_gpu_memory_utilization:ratio_avg_1m", Type: Gauge, Unit: "ratio", Help: "GPU memory in use on the node, averaged over its GPUs.", value: averaged(func(s *series, m *moment) float64 { return memoryUsed(s, m) / framebuffer })},
		{Name: "vendor_node:node_gpu_temperature:p95_1m", Type: Gauge, Unit: "celsius", Help: "95th percentile of the temperatures of the node's GPUs.", value: percentile95(gpuTemperature)},
		{Name: "vendor_node:node_gpu_power:p95_1m", Type: Gauge, Unit: "watts", Help: "95th percentile of the power drawn by the node's GPUs.", value: percentile95(gpuPower)},
	})
}

// eachGPU calls fn with what the formula gives for every GPU of the series' node.
func eachGPU(f formula, s *series, m *moment, fn func(float64)) {
	member := *s
	for g := range s.world.fleet.GPUsPerNode {
		s.world.becomeGPU(&member, s.node*s.world.fleet.GPUsPerNode+g)
		fn(f(&member, m))
	}
}

func averaged(f formula) formula {
	return func(s *series, m *moment) float64 {
		sum := 0.0
		eachGPU(f, s, m, func(v float64) { sum += v })
		return sum / float64(s.world.fleet.GPUsPerNode)
	}
}

// percentile95 interpolates as PromQL's quantile does.
func percentile95(f formula) formula {
	return func(s *series, m *moment) float64 {
		values := make([]float64, 0, 16)
		eachGPU(f, s, m, func(v float64) { values = append(values, v) })
		slices.Sort(values)
		rank := 0.95 * float64(len(values)-1)
		low := int(rank)
		high := min(low+1, len(values)-1)
		return values[low] + (values[high]-values[low])*(rank-float64(low))
	}
}
