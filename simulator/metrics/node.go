package metrics

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

const (
	processors = scenario.Processors
	nodeMemory = scenario.NodeMemory
	day        = 24 * 3600e3 // milliseconds
)

var (
	diskWrites  = scenario.Load{Time: 9e4, Compute: 2e5, Write: 1.2e9}
	nodeReceive = scenario.Load{Time: 3e4, Compute: 2e6, Read: 1.1e9, Requests: 4e7}
	nodeSend    = scenario.Load{Time: 3e4, Compute: 2e6, Write: 1.4e9, Requests: 9e7}
)

// nodeFamilies are what the agent on a virtual machine reports of it.
func (w *labelSets) nodeFamilies() []family {
	return collect(everyMinute, dimensions{w.nodes}, []family{
		{Name: "vendor_vm_cpu_seconds_total", Type: Counter, dimensions: dimensions{w.nodes, dividing(enum("mode", modes...))}, value: cpuSeconds},
		{Name: "vendor_vm_memory_used_bytes", Type: Gauge, value: memoryInUse},
		{Name: "vendor_vm_memory_total_bytes", Type: Gauge, value: constant(nodeMemory)},
		{Name: "vendor_vm_boot_time", Type: Gauge, value: bootTime},
		{Name: "vendor_vm_disk_written_bytes_total", Type: Counter, value: diskBytesWritten},
		{Name: "vendor_vm_network_receive_bytes_total", Type: Counter, value: total(nodeReceive)},
		{Name: "vendor_vm_network_transmit_bytes_total", Type: Counter, value: total(nodeSend)},
	})
}

var modes = []string{"idle", "iowait", "system", "user"}

// cpuSeconds splits the time of all processors into modes.
func cpuSeconds(s *series, m *moment) float64 {
	used := [4]float64{
		1: m.load.Dot(&scenario.Load{Time: 0.2, Read: 6, Write: 11}) * s.scale,
		2: m.load.Dot(&scenario.Load{Time: 1.1, Compute: 5, Network: 6, Read: 4, Write: 6, Requests: 3}) * s.scale,
		3: m.load.Dot(&scenario.Load{Time: 1.6, Compute: 22, Read: 48, Write: 5, Requests: 18}) * s.scale,
	}
	if s.position == 0 {
		return processors*m.load.Time - used[1] - used[2] - used[3]
	}
	return used[s.position]
}

func memoryInUse(s *series, m *moment) float64 {
	share := m.load.Dot(&scenario.Load{Time: 0.04, Memory: 0.38, Read: 0.2, Write: 0.15}) * s.scale
	return math.Round(nodeMemory * share * (1 + 0.01*m.noise(s, memoryNoise)))
}

// bootTime is up to 40 days before the counters began.
func bootTime(s *series, _ *moment) float64 {
	return float64(s.labelSets.scenario.Begin()/1000) - math.Floor(40*day/1000*scenario.Unit(s.entity))
}
