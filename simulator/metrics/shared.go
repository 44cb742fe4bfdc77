package metrics

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// sharedDiskFamilies are the disks that the nodes of a pool share. Every 5 minutes.
func (w *labelSets) sharedDiskFamilies() []family {
	follow := func(weights scenario.Load) formula { return times(bandwidth(weights)) }
	return collect(everyFiveMinutes, dimensions{w.disks}, []family{
		{Name: "vendor_sdisk_disk_read_iops", Type: Gauge, value: follow(scenario.Load{Time: 6, Compute: 20, Read: 6500})},
		{Name: "vendor_sdisk_disk_write_iops", Type: Gauge, value: follow(scenario.Load{Time: 9, Compute: 12, Write: 4800})},
		{Name: "vendor_sdisk_disk_read_bw_bytes_sum", Type: Gauge, value: follow(scenario.Load{Time: 2e4, Compute: 3e6, Read: 1.6e9})},
		{Name: "vendor_sdisk_disk_write_bw_bytes_sum", Type: Gauge, value: follow(scenario.Load{Time: 4e4, Compute: 1e6, Write: 2.1e9})},
		{Name: "vendor_sdisk_disk_read_latency", Type: Gauge, value: weigh(scenario.Load{Time: 0.0007, Read: 0.0034, Write: 0.0006}, 0.2)},
		{Name: "vendor_sdisk_disk_write_latency", Type: Gauge, value: weigh(scenario.Load{Time: 0.0009, Read: 0.0004, Write: 0.0052}, 0.2)},
		{Name: "vendor_sdisk_capacity_used_bytes", Type: Gauge, value: func(s *series, m *moment) float64 {
			return math.Round(scenario.SharedDiskBytes * filling(s.entity, m.t, 12*day, 0.35, 0.4))
		}},
	})
}
