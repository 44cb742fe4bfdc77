package metrics

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// mounted are the file systems of a machine: ephemeral NVMe, boot disk, persistent disk.
var mounted = []struct {
	device, mountPoint string
	size               float64 // bytes
	activity           float64 // share of the machine's reads and writes
}{
	{"nvme0n1", "/ephemeral", 3840e9, 0.62},
	{"vda", "/", 128 << 30, 0.05},
	{"vdb", "/data", 2048 << 30, 0.33},
}

// mounts is an axis of the file systems of a machine.
var mounts = func() axis {
	var points [][]string
	for _, m := range mounted {
		points = append(points, []string{m.device, m.mountPoint})
	}
	return fixed([]string{"device", "mount_point"}, points, func(s *series, i int) {
		s.position = i
		s.scale *= mounted[i].activity
	})
}()

var (
	diskBytesRead    = total(scenario.Load{Time: 2e4, Read: 9e8})
	diskBytesWritten = total(diskWrites)
)

// diskFamilies are the disks of a virtual machine, by device and mount point.
func (w *labelSets) diskFamilies() []family {
	reads, writes := scenario.Load{Time: 2, Read: 9000}, scenario.Load{Time: 8, Compute: 15, Write: 12000}
	return collect(everyMinute, dimensions{w.nodes, mounts}, []family{
		{Name: "vendor_vm_disk_reads_completed_total", Type: Counter, value: total(reads)},
		{Name: "vendor_vm_disk_writes_completed_total", Type: Counter, value: total(writes)},
		{Name: "vendor_vm_disk_read_bytes_total", Type: Counter, value: diskBytesRead},
		{Name: "vendor_vm_disk_write_bytes_total", Type: Counter, value: diskBytesWritten},
		{Name: "vendor_vm_disk_read_latency_seconds", Type: Histogram, latency: latency{
			calm: scenario.Load{Time: 2}, busy: scenario.Load{Read: 9000}, calmMean: 0.0006, busyMean: 0.0042,
		}},
		{Name: "vendor_vm_disk_write_latency_seconds", Type: Histogram, latency: latency{
			calm: scenario.Load{Time: 8, Compute: 15}, busy: scenario.Load{Write: 12000}, calmMean: 0.0009, busyMean: 0.0095,
		}},
		{Name: "vendor_vm_disk_bytes_used", Type: Gauge, value: spaceUsed},
		{Name: "vendor_vm_disk_bytes_total", Type: Gauge, value: func(s *series, _ *moment) float64 { return mounted[s.position].size }},
	})
}

// fullDisk is the file system of the first node that scenario.FullDisk fills, and fullShare how far.
const (
	fullDisk  = 2 // of mounted
	fullShare = 0.96
)

// spaceUsed grows over nine days, until people clean up.
func spaceUsed(s *series, m *moment) float64 {
	if since, ok := s.labelSets.scenario.Since(scenario.FullDisk); ok && s.node == 0 && s.position == fullDisk && m.t >= since {
		return math.Round(mounted[s.position].size * fullShare)
	}
	return math.Round(mounted[s.position].size * filling(s.entity, m.t, 9*day, 0.28, 0.55))
}

// filling is a saw-tooth from low to low+rise; each entity is at another point of its period.
func filling(entity uint64, t int64, period, low, rise float64) float64 {
	_, part := math.Modf(float64(t)/period + scenario.Unit(entity))
	return low + rise*part
}

// nvmeFamilies are the health of the local NVMe drives, as their self-monitoring reports it.
func (w *labelSets) nvmeFamilies() []family {
	drives := enum("device", "nvme0n1", "nvme1n1", "nvme2n1", "nvme3n1")
	warning := fixed([]string{"bit"}, column1([]string{"available_spare", "temperature", "reliability", "read_only", "volatile_backup"}), func(*series, int) {})
	return collect(everyMinute, dimensions{w.nodes, drives}, []family{
		{Name: "vendor_vm_nvme_smart_critical_warning", Type: Gauge, dimensions: dimensions{w.nodes, drives, warning}, value: constant(0)},
		{Name: "vendor_vm_nvme_media_errors_total", Type: Counter, value: rarely(6e-8)},
		{Name: "vendor_vm_nvme_percentage_used", Type: Gauge, value: wear},
		{Name: "vendor_vm_nvme_available_spare", Type: Gauge, value: func(s *series, m *moment) float64 { return 100 - math.Floor(wear(s, m)/9) }},
		{Name: "vendor_vm_nvme_power_on_hours", Type: Counter, value: func(s *series, m *moment) float64 {
			return math.Floor(m.load.Time/3600 + 20000*scenario.Unit(s.entity))
		}},
	})
}

// wear rises by a percent in some 25 days; one drive in thirty is nearly worn out.
func wear(s *series, m *moment) float64 {
	used := 4 + 30*scenario.Unit(s.entity)
	if s.entity%30 == 0 {
		used += 55
	}
	return math.Floor(used + float64(m.t-s.labelSets.scenario.Begin())/(25*day))
}

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
