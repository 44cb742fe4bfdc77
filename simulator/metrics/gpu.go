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
func (w *labelSets) gpuFamilies() []family {
	return collect(everyMinute, dimensions{w.gpus}, []family{
		{Name: "DCGM_FI_DEV_GPU_UTIL", Type: Gauge, value: gpuUtil},
		{Name: "DCGM_FI_DEV_MEM_COPY_UTIL", Type: Gauge, value: memCopyUtil},
		{Name: "DCGM_FI_DEV_FB_USED", Type: Gauge, value: memoryUsed},
		{Name: "DCGM_FI_DEV_FB_FREE", Type: Gauge, value: func(s *series, m *moment) float64 { return framebuffer - memoryUsed(s, m) }},
		{Name: "DCGM_FI_DEV_GPU_TEMP", Type: Gauge, value: gpuTemperature},
		{Name: "DCGM_FI_DEV_MEMORY_TEMP", Type: Gauge, value: memoryTemperature},
		{Name: "DCGM_FI_DEV_POWER_USAGE", Type: Gauge, value: gpuPower},
		{Name: "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", Type: Counter, value: gpuEnergy},
		{Name: "DCGM_FI_DEV_SM_CLOCK", Type: Gauge, value: smClock},
		{Name: "DCGM_FI_DEV_MEM_CLOCK", Type: Gauge, value: constant(2619)},
		{Name: "DCGM_FI_DEV_XID_ERRORS", Type: Gauge, value: xid},
		{Name: "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", Type: Counter, value: rarely(4e-7)},
		{Name: "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", Type: Counter, value: failed},
		{Name: "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", Type: Counter, value: rarely(3e-8)},
		{Name: "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", Type: Counter, value: failed},
		{Name: "DCGM_FI_DEV_ROW_REMAP_FAILURE", Type: Gauge, value: remapFailed},
		{Name: "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", Type: Counter, value: rarely(2e-6)},
		{Name: "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", Type: Counter, value: total(scenario.Load{Time: 0.01, Network: 310e3})},
		{Name: "DCGM_FI_DEV_POWER_VIOLATION", Type: Counter, value: coarse(1e6, powerViolation)},
		{Name: "DCGM_FI_DEV_THERMAL_VIOLATION", Type: Counter, value: coarse(1e6, thermalViolation)},
	})
}

// gpuProfilingFamilies are DCGM's profiling fields: ratios from 0 to 1, and bytes a second.
func (w *labelSets) gpuProfilingFamilies() []family {
	return collect(everyMinute, dimensions{w.gpus}, []family{
		{Name: "DCGM_FI_PROF_GR_ENGINE_ACTIVE", Type: Gauge, value: activity(1, 0, 0.03)},
		{Name: "DCGM_FI_PROF_SM_ACTIVE", Type: Gauge, value: activity(0.14, 0.85, 0.05)},
		{Name: "DCGM_FI_PROF_SM_OCCUPANCY", Type: Gauge, value: activity(0.05, 0.28, 0.07)},
		{Name: "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", Type: Gauge, value: tensorActive},
		{Name: "DCGM_FI_PROF_DRAM_ACTIVE", Type: Gauge, value: activity(0.08, 0.55, 0.07)},
		{Name: "DCGM_FI_PROF_PCIE_TX_BYTES", Type: Gauge, value: bandwidth(scenario.Load{Time: 2e5, Network: 4.2e9, Write: 6e9})},
		{Name: "DCGM_FI_PROF_PCIE_RX_BYTES", Type: Gauge, value: bandwidth(scenario.Load{Time: 2e5, Network: 4.5e9, Read: 7e9})},
		{Name: "DCGM_FI_PROF_NVLINK_TX_BYTES", Type: Gauge, value: bandwidth(scenario.Load{Network: 165e9})},
		{Name: "DCGM_FI_PROF_NVLINK_RX_BYTES", Type: Gauge, value: bandwidth(scenario.Load{Network: 164e9})},
	})
}

func gpuUtil(s *series, m *moment) float64 { return math.Round(exactUtil(s, m)) }

// exactUtil is the utilization in percent before the exporter rounds it: a kernel that waits for its peers runs as well.
func exactUtil(s *series, m *moment) float64 {
	return clamp(kernels(s, m)*(1+0.03*m.noise(s, utilNoise)), 0, 100)
}

var (
	kernels = work(100, 0)
	// tensorActive is the share of cycles in which the tensor cores are active.
	tensorActive = activity(0, 0.72, 0.15)
)

func memCopyUtil(s *series, m *moment) float64 {
	return math.Round(clamp((8*m.load.Compute+60*m.load.Tensor)*(1+0.15*m.noise(s, memoryNoise)), 0, 100))
}

func memoryUsed(s *series, m *moment) float64 {
	return math.Round(clamp(framebuffer*m.load.Memory*(1+0.01*m.noise(s, memoryNoise)), 4, framebuffer))
}

func gpuPower(s *series, m *moment) float64 {
	limit := boards[s.board()].watts
	return math.Round(1000*clamp(watts(s, m)*limit/boards[h100].watts*s.scale*(1+0.05*m.noise(s, powerNoise)), 0, 1.01*limit)) / 1000
}

func gpuEnergy(s *series, m *moment) float64 {
	return math.Floor(1000 * watts(s, m) * boards[s.board()].watts / boards[h100].watts * s.scale)
}

func gpuTemperature(s *series, m *moment) float64 {
	heat := 29 + 0.6*float64(s.gpu%8) + 40*m.load.Tensor/0.66*s.scale
	if s.hot {
		heat += 4 + 24*m.load.Compute
	}
	return math.Round(heat + 3*m.noise(s, heatNoise))
}

func memoryTemperature(s *series, m *moment) float64 {
	return gpuTemperature(s, m) + 6 + math.Round(14*m.load.Tensor)
}

func smClock(s *series, m *moment) float64 {
	if m.load.Compute < 0.05 {
		return 345
	}
	clock := boards[s.board()].megahertz
	if s.hot {
		clock *= scenario.HotPace
	}
	return 15 * math.Round((clock-60*m.load.Tensor+30*m.noise(s, clockNoise))/15)
}

// boards are the kinds of GPUs: the most power that they draw, and their highest clock, from NVIDIA's data sheets.
var boards = [...]struct{ watts, megahertz float64 }{h100: {700, 1980}, a100: {400, 1410}}

const (
	h100 = iota
	a100
)

func (s *series) board() int {
	if s.pool == scenario.Serving {
		return a100
	}
	return h100
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

// remapFailed is 1 from a failure of the GPU on until it is replaced.
func remapFailed(s *series, m *moment) float64 {
	if xid(s, m) > 0 {
		return 1
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

// activity is a ratio that follows how kernels run and tensor cores work, with relative noise of the given width. GPUs that serve
// inference requests differ, because each has requests of its own.
func activity(compute, tensor, width float64) formula {
	follow, key := work(compute, tensor), math.Float64bits(compute+3*tensor)
	return func(s *series, m *moment) float64 {
		share := follow(s, m) * (1 + width*m.noise(s, key))
		if s.pool == scenario.Serving {
			share *= 0.6 + 0.8*scenario.Unit(scenario.Mix(s.entity, uint64(m.t/quarterHour)))
		}
		return clamp(share, 0, 1)
	}
}

const quarterHour = 30 * halfMinute

// bandwidth is a throughput that follows the load, in whole bytes a second.
func bandwidth(weights scenario.Load) formula {
	follow := weigh(weights, 0.08)
	return func(s *series, m *moment) float64 { return math.Round(follow(s, m)) }
}

func clamp(v, low, high float64) float64 { return min(max(v, low), high) }
