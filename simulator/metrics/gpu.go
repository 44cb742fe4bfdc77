package metrics

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// Keys of the noise that several formulas must agree on.
const (
	utilNoise uint64 = iota + 1
	memoryNoise
	heatNoise
	powerNoise
	clockNoise
)

const framebuffer = 81559 // MiB, of an 80 GB card

// gpuFamilies are DCGM's device fields. Names, units and meanings:
// https://docs.nvidia.com/datacenter/dcgm/latest/dcgm-api/dcgm-api-field-ids.html
func (w *labelSets) gpuFamilies() []Family {
	return collect(everyMinute, dimensions{w.gpus}, []Family{
		{Name: "DCGM_FI_DEV_GPU_UTIL", Type: Gauge, Unit: "percent", Help: "Share of time in which a kernel ran on the GPU.", value: gpuUtil},
		{Name: "DCGM_FI_DEV_MEM_COPY_UTIL", Type: Gauge, Unit: "percent", Help: "Share of time in which GPU memory was read or written.", value: memCopyUtil},
		{Name: "DCGM_FI_DEV_FB_USED", Type: Gauge, Unit: "mebibytes", Help: "GPU memory in use.", value: memoryUsed},
		{Name: "DCGM_FI_DEV_FB_FREE", Type: Gauge, Unit: "mebibytes", Help: "GPU memory free.", value: func(s *series, m *moment) float64 { return framebuffer - memoryUsed(s, m) }},
		{Name: "DCGM_FI_DEV_GPU_TEMP", Type: Gauge, Unit: "celsius", Help: "Temperature of the GPU.", value: gpuTemperature},
		{Name: "DCGM_FI_DEV_MEMORY_TEMP", Type: Gauge, Unit: "celsius", Help: "Temperature of the GPU's memory.", value: memoryTemperature},
		{Name: "DCGM_FI_DEV_POWER_USAGE", Type: Gauge, Unit: "watts", Help: "Power drawn.", value: gpuPower},
		{Name: "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", Type: Counter, Unit: "millijoules", Help: "Energy used since the driver was loaded.", value: gpuEnergy},
		{Name: "DCGM_FI_DEV_SM_CLOCK", Type: Gauge, Unit: "megahertz", Help: "Clock of the streaming multiprocessors.", value: smClock},
		{Name: "DCGM_FI_DEV_MEM_CLOCK", Type: Gauge, Unit: "megahertz", Help: "Clock of the GPU's memory.", value: constant(2619)},
		{Name: "DCGM_FI_DEV_XID_ERRORS", Type: Gauge, Help: "Number of the last XID error, 0 if there was none.", value: xid},
		{Name: "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", Type: Counter, Unit: "errors", Help: "Single-bit ECC errors, corrected.", value: rarely(4e-7)},
		{Name: "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", Type: Counter, Unit: "errors", Help: "Double-bit ECC errors, not corrected.", value: failed},
		{Name: "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", Type: Counter, Unit: "rows", Help: "Memory rows remapped after correctable errors.", value: rarely(3e-8)},
		{Name: "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", Type: Counter, Unit: "rows", Help: "Memory rows remapped after uncorrectable errors.", value: failed},
		{Name: "DCGM_FI_DEV_ROW_REMAP_FAILURE", Type: Gauge, Help: "1 if remapping a memory row has failed.", value: constant(0)},
		{Name: "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", Type: Counter, Unit: "retries", Help: "PCIe retries.", value: rarely(2e-6)},
		{Name: "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", Type: Counter, Unit: "mebibytes", Help: "Data over all NVLink pools.", value: total(scenario.Load{Time: 0.01, Network: 310e3})},
		{Name: "DCGM_FI_DEV_POWER_VIOLATION", Type: Counter, Unit: "nanoseconds", Help: "Time throttled because of the power limit.", value: coarse(1e6, total(scenario.Load{Tensor: 180}))},
		{Name: "DCGM_FI_DEV_THERMAL_VIOLATION", Type: Counter, Unit: "nanoseconds", Help: "Time throttled because of heat.", value: coarse(1e6, thermalViolation)},
	})
}

// gpuProfilingFamilies are DCGM's profiling fields: ratios from 0 to 1, and bytes a second.
func (w *labelSets) gpuProfilingFamilies() []Family {
	return collect(everyMinute, dimensions{w.gpus}, []Family{
		{Name: "DCGM_FI_PROF_GR_ENGINE_ACTIVE", Type: Gauge, Unit: "ratio", Help: "Share of time in which the graphics or compute engine was active.", value: activity(scenario.Load{Compute: 0.98}, 0.04)},
		{Name: "DCGM_FI_PROF_SM_ACTIVE", Type: Gauge, Unit: "ratio", Help: "Share of cycles in which a multiprocessor had work, averaged over all.", value: activity(scenario.Load{Compute: 0.86}, 0.05)},
		{Name: "DCGM_FI_PROF_SM_OCCUPANCY", Type: Gauge, Unit: "ratio", Help: "Share of resident warps of the most that fit.", value: activity(scenario.Load{Compute: 0.34}, 0.07)},
		{Name: "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", Type: Gauge, Unit: "ratio", Help: "Share of cycles in which the tensor cores were active.", value: activity(scenario.Load{Tensor: 0.78}, 0.06)},
		{Name: "DCGM_FI_PROF_DRAM_ACTIVE", Type: Gauge, Unit: "ratio", Help: "Share of cycles in which GPU memory was busy.", value: activity(scenario.Load{Compute: 0.48, Tensor: 0.1}, 0.07)},
		{Name: "DCGM_FI_PROF_PCIE_TX_BYTES", Type: Gauge, Unit: "bytes per second", Help: "Sent over PCIe.", value: bandwidth(scenario.Load{Time: 2e5, Network: 4.2e9, Write: 6e9})},
		{Name: "DCGM_FI_PROF_PCIE_RX_BYTES", Type: Gauge, Unit: "bytes per second", Help: "Received over PCIe.", value: bandwidth(scenario.Load{Time: 2e5, Network: 4.5e9, Read: 7e9})},
		{Name: "DCGM_FI_PROF_NVLINK_TX_BYTES", Type: Gauge, Unit: "bytes per second", Help: "Sent over NVLink.", value: bandwidth(scenario.Load{Network: 165e9})},
		{Name: "DCGM_FI_PROF_NVLINK_RX_BYTES", Type: Gauge, Unit: "bytes per second", Help: "Received over NVLink.", value: bandwidth(scenario.Load{Network: 164e9})},
	})
}

// effort is how fast a GPU works next to its peers: 1, but for the straggler.
func (s *series) effort() float64 {
	if s.straggles() {
		return 0.71
	}
	return 1
}

func (s *series) straggles() bool {
	return s.labelSets.straggler == scenario.GPU{Node: s.node, Index: s.gpu}
}

func gpuUtil(s *series, m *moment) float64 {
	busy := m.load.Compute * s.effort()
	return math.Round(clamp(100*busy*s.scale*(1+0.06*m.noise(s, utilNoise)), 0, 100))
}

func memCopyUtil(s *series, m *moment) float64 {
	return math.Round(clamp(0.52*gpuUtil(s, m)*(1+0.15*m.noise(s, memoryNoise)), 0, 100))
}

func memoryUsed(s *series, m *moment) float64 {
	return math.Round(clamp(framebuffer*m.load.Memory*(1+0.01*m.noise(s, memoryNoise)), 4, framebuffer))
}

func gpuPower(s *series, m *moment) float64 {
	load := 70 + (150*m.load.Compute+600*m.load.Tensor)*s.effort()
	return math.Round(1000*clamp(load*s.scale*(1+0.05*m.noise(s, powerNoise)), 0, 705)) / 1000
}

func gpuEnergy(s *series, m *moment) float64 {
	joules := 70*m.load.Time + (150*m.load.Compute+600*m.load.Tensor)*s.effort()
	return math.Floor(1000 * joules * s.scale)
}

func gpuTemperature(s *series, m *moment) float64 {
	heat := 29 + 40*m.load.Tensor/0.66*s.scale
	if s.straggles() {
		heat += 4 + 16*m.load.Compute
	}
	return math.Round(heat + 3*m.noise(s, heatNoise))
}

func memoryTemperature(s *series, m *moment) float64 {
	return gpuTemperature(s, m) + 6 + math.Round(14*m.load.Compute)
}

func smClock(s *series, m *moment) float64 {
	if m.load.Compute < 0.02 {
		return 345
	}
	return 15 * math.Round((1980*s.effort()-60*m.load.Tensor+30*m.noise(s, clockNoise))/15)
}

func thermalViolation(s *series, m *moment) float64 {
	if !s.straggles() {
		return 0
	}
	return 240 * m.load.Compute
}

// xid keeps the number of an error until the GPU is repaired.
func xid(s *series, m *moment) float64 {
	for _, f := range s.failures {
		if f.GPU.Index == s.gpu && m.t >= f.At && m.t < f.Repaired {
			return float64(f.XID)
		}
	}
	return 0
}

// failed counts the GPU's failures.
func failed(s *series, m *moment) float64 {
	n := 0.0
	for _, f := range s.failures {
		if f.GPU.Index == s.gpu && m.t >= f.At {
			n++
		}
	}
	return n
}

// rarely counts events that come at a steady, low rate a second, on some series more than on others.
func rarely(rate float64) formula {
	return func(s *series, m *moment) float64 {
		luck := math.Pow(scenario.Unit(scenario.Mix(s.entity, math.Float64bits(rate))), 4)
		return math.Floor(m.load.Time * rate * 5 * luck)
	}
}

// activity is a ratio that follows the load.
func activity(weights scenario.Load, width float64) formula {
	follow := weigh(weights, width)
	return func(s *series, m *moment) float64 { return clamp(follow(s, m)*s.effort(), 0, 1) }
}

// bandwidth is a throughput that follows the load, in whole bytes a second.
func bandwidth(weights scenario.Load) formula {
	follow := weigh(weights, 0.08)
	return func(s *series, m *moment) float64 { return math.Round(follow(s, m)) }
}

func clamp(v, low, high float64) float64 { return min(max(v, low), high) }
