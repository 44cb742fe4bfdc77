package metrics

import (
	"math"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// Account is what is true of the GPUs of a node pool over a time: sums over the stretches of constant load that the scenario has,
// without the noise, the rounding and the intervals of samples. Bytes vary as those of the counters do, at any time.
type Account struct {
	GPUs           int     `json:"gpus"`
	GPUHours       float64 `json:"gpuHours"`
	Utilization    float64 `json:"utilization"`    // mean, in percent
	TensorActivity float64 `json:"tensorActivity"` // mean, from 0 to 1
	XIDs           int     `json:"xids"`           // from the first instant to the last, both included
	Energy         float64 `json:"energy"`         // kilowatt-hours
	BytesRead      float64 `json:"bytesRead"`      // from the disks of the nodes
	BytesWritten   float64 `json:"bytesWritten"`
	Time           GPUTime `json:"gpuMilliseconds"`
	Minutes        Minutes `json:"minutes"`
}

// GPUTime divides the time of GPUs into classes, in milliseconds. Total is exactly the sum of the others.
type GPUTime struct {
	Total        int64 `json:"total"`
	Working      int64 `json:"working"`
	Throttled    int64 `json:"throttled"`    // as the counters of violations say, at any utilization
	Idle         int64 `json:"idle"`         // utilization below IdleBelow
	OutOfService int64 `json:"outOfService"` // on a node with a failed GPU
}

// Minutes is what is true at the whole minutes after the start, up to the end: what gauges that are sampled then can say at best.
// Total is exactly the sum of the other counts of GPU-minutes.
type Minutes struct {
	Total          int64   `json:"gpuMinutes"`
	Working        int64   `json:"working"`
	Idle           int64   `json:"idle"`
	OutOfService   int64   `json:"outOfService"`
	Utilization    float64 `json:"utilization"`    // mean, in percent
	TensorActivity float64 `json:"tensorActivity"` // mean, from 0 to 1
}

// IdleBelow is the utilization in percent below which a GPU is idle, as in the alert rule of idle GPUs.
const IdleBelow = 5

// Account returns what is true of a node pool from a time up to, not including, another.
func (s *Store) Account(pool scenario.NodePool, from, to int64) Account {
	w := s.labelSets
	stretches := w.scenario.Reader(pool, to).Stretches(from, to)
	var a Account
	millijoules := 0.0
	w.eachOf(dimensions{w.gpus}, pool, to, func(gpu *series) {
		a.GPUs++
		for _, f := range gpu.failures {
			if f.GPU.Index == gpu.gpu && f.At >= from && f.At <= to {
				a.XIDs++
			}
		}
		gpu.during(stretches, func(m *moment, length int64) {
			busy, active, served := exactUtil(gpu, m), tensorActive(gpu, m), gpu.serves(m.t)
			a.Utilization += busy * float64(length)
			a.TensorActivity += active * float64(length)
			a.Minutes.add((m.t+length)/minute-m.t/minute, busy, active, served)
			m.accumulate(length)
			millijoules += gpuEnergy(gpu, m)
			a.Time.add(length, int64(math.Round(powerViolation(gpu, m)+thermalViolation(gpu, m))), busy, served)
		})
	})
	reader := w.scenario.Reader(pool, to+int64(swing))
	w.eachOf(dimensions{w.nodes, mounts}, pool, to, func(disk *series) { a.BytesRead += disk.counted(diskBytesRead, reader, from, to) })
	w.eachOf(dimensions{w.nodes}, pool, to, func(node *series) { a.BytesWritten += node.counted(diskBytesWritten, reader, from, to) })
	a.GPUHours, a.Energy = float64(a.Time.Total)/3600e3, millijoules/3600e6
	if a.Time.Total > 0 {
		a.Utilization /= float64(a.Time.Total)
		a.TensorActivity /= float64(a.Time.Total)
	}
	if a.Minutes.Total > 0 {
		a.Minutes.Utilization /= float64(a.Minutes.Total)
		a.Minutes.TensorActivity /= float64(a.Minutes.Total)
	}
	return a
}

// add adds a time of constant utilization, and the part of it that was throttled.
func (t *GPUTime) add(length, throttled int64, utilization float64, served bool) {
	t.Total += length
	if !served {
		t.OutOfService += length
		return
	}
	t.Throttled += throttled
	if utilization < IdleBelow {
		t.Idle += length - throttled
	} else {
		t.Working += length - throttled
	}
}

// minute is in milliseconds, as all times are.
const minute = int64(time.Minute / time.Millisecond)

// add adds minutes of constant utilization. The means are sums so far.
func (m *Minutes) add(minutes int64, utilization, activity float64, served bool) {
	m.Total += minutes
	m.Utilization += utilization * float64(minutes)
	m.TensorActivity += activity * float64(minutes)
	switch {
	case !served:
		m.OutOfService += minutes
	case utilization < IdleBelow:
		m.Idle += minutes
	default:
		m.Working += minutes
	}
}

// eachOf calls fn with a series of each combination of points that belongs to a pool.
func (w *labelSets) eachOf(of dimensions, pool scenario.NodePool, to int64, fn func(*series)) {
	win := w.look(to, to)
	axes, _ := of.choose(win, nil)
	each(axes, func(point []int) {
		if s := w.at(axes, point, win); s.pool == pool {
			fn(s)
		}
	})
}

// during calls fn with each stretch's load, as far as the series' node was in service, and with how long it lasted.
func (s *series) during(stretches []scenario.Stretch, fn func(m *moment, length int64)) {
	m := moment{noiseless: true}
	for _, stretch := range stretches {
		for at := stretch.Start; at < stretch.End; {
			end := stretch.End
			for _, f := range s.failures {
				end = before(end, at, f.At, f.Repaired)
			}
			for _, d := range s.slowdowns {
				end = before(end, at, d.Start, d.End)
			}
			m.t, m.load = at, &stretch.Load
			if !s.serves(at) {
				m.load = &outOfService
			}
			fn(&m, end-at)
			at = end
		}
	}
}

// before is the first of the edges that come after at, and end if that is earlier.
func before(end, at int64, edges ...int64) int64 {
	for _, edge := range edges {
		if edge > at {
			end = min(end, edge)
		}
	}
	return end
}

// counted is what a counter with a formula counts from a time to another.
func (s *series) counted(f formula, reader *scenario.Reader, from, to int64) float64 {
	var begin, end scenario.Load
	s.accumulated(&begin, reader, from)
	s.accumulated(&end, reader, to)
	return f(s, &moment{load: &end}) - f(s, &moment{load: &begin})
}

// accumulate replaces a load by what it comes to over a time, for the formulas of counters.
func (m *moment) accumulate(milliseconds int64) {
	m.sum = scenario.Load{}.Plus(m.load, float64(milliseconds)/1000)
	m.load = &m.sum
}
