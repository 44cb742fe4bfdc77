package metrics

import (
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// Causes are what the minutes of GPUs went into: the one true cause of each, from the scenario and not from samples.
type Causes struct {
	Faulted   int64 `json:"faulted"`   // within a quarter of an hour of an error, or until a GPU without spare rows is replaced
	Throttled int64 `json:"throttled"` // by power or heat, for more than a tenth of the time
	Computing int64 `json:"computing"` // at work, if at another's pace
	Network   int64 `json:"network"`   // kernels wait for the network,
	Storage   int64 `json:"storage"`   // for data to be read,
	Host      int64 `json:"host"`      // for processors,
	Unknown   int64 `json:"unknown"`   // for nobody knows what
	HeldIdle  int64 `json:"heldIdle"`  // memory is in use, and nothing runs
	Free      int64 `json:"free"`
}

// GPUCauses are the causes of a GPU's minutes.
type GPUCauses struct {
	Node string `json:"vm_name"`
	GPU  int    `json:"gpu"`
	Causes
}

// throttledAbove is the share of a minute above which a GPU counts as throttled.
const throttledAbove = 0.1

// faultFor is how long a GPU counts as faulted after an error.
const faultFor = 15 * minute

// GPUTime returns what the minutes of all GPUs went into from a time up to, not including, another: by node and GPU.
func (s *Store) GPUTime(from, to time.Time) []GPUCauses {
	w, start, end := s.labelSets, from.UnixMilli(), min(to.UnixMilli(), s.now().UnixMilli())
	var all []GPUCauses
	for pool := range scenario.NodePool(scenario.NodePools) {
		stretches := split(w.scenario.Reader(pool, end).Stretches(start, end), w.scenario.Slowdowns())
		w.eachOf(dimensions{w.gpus}, pool, end, func(gpu *series) {
			one := GPUCauses{Node: w.fleet.Nodes[gpu.node].Name, GPU: gpu.gpu}
			gpu.during(stretches, func(m *moment, length int64) {
				*one.of(gpu, m) += (m.t+length)/minute - m.t/minute
			})
			all = append(all, one)
		})
	}
	return all
}

// split splits stretches where a slowdown begins or ends.
func split(stretches []scenario.Stretch, slowdowns []scenario.Slowdown) []scenario.Stretch {
	var parts []scenario.Stretch
	for _, stretch := range stretches {
		for at := stretch.Start; at < stretch.End; {
			end := stretch.End
			for i := range slowdowns {
				end = before(end, at, slowdowns[i].Start, slowdowns[i].End)
			}
			parts = append(parts, scenario.Stretch{Start: at, End: end, Load: stretch.Load})
			at = end
		}
	}
	return parts
}

// of returns the count of the cause of a stretch of constant load on a GPU.
func (c *Causes) of(gpu *series, m *moment) *int64 {
	busy := m.load.Compute > 0.5
	waiting := gpu.labelSets.scenario.Waiting(gpu.pool, m.t)
	switch {
	case remapFailed(gpu, m) > 0 || gpu.failedSince(m.t) < faultFor:
		return &c.Faulted
	case busy && powerViolation(gpu, m)+thermalViolation(gpu, m) > 1000*throttledAbove:
		return &c.Throttled
	case busy && waiting != nil:
		return map[scenario.SlowdownKind]*int64{
			scenario.Congested: &c.Network, scenario.SlowStorage: &c.Storage, scenario.BusyHosts: &c.Host, scenario.Hanging: &c.Unknown,
		}[waiting.Kind]
	case busy:
		return &c.Computing
	case m.load.Memory > 0.1:
		return &c.HeldIdle
	}
	return &c.Free
}

// failedSince is how long ago the GPU last failed.
func (s *series) failedSince(t int64) int64 {
	ago := t
	for _, f := range s.failures {
		if f.GPU.Index == s.gpu && f.At <= t {
			ago = t - f.At
		}
	}
	return ago
}

// Slowdown is what slowed a GPU, a node or a pool, and the times in which a job was slowed by it.
type Slowdown struct {
	Kind     scenario.SlowdownKind `json:"kind"`
	NodePool string                `json:"nodepool_name"`
	Node     string                `json:"vm_name,omitempty"` // none if the whole pool waits
	GPU      *int                  `json:"gpu,omitempty"`     // none if the whole node or pool waits
	Pace     float64               `json:"pace"`              // share of the usual speed
	Start    time.Time             `json:"start"`
	End      time.Time             `json:"end"`
	// Training are the times in between in which the pool trained: no slowdown is seen without load.
	Training []Interval `json:"training"`
}

// Interval is a time from Start up to, not including, End.
type Interval struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Slowdowns returns the slowdowns that go on somewhere from a time to another, as far as they do.
func (s *Store) Slowdowns(from, to time.Time) []Slowdown {
	w := s.labelSets
	first, last := from.UnixMilli(), min(to.UnixMilli(), s.now().UnixMilli())
	all := []Slowdown{}
	for _, d := range w.scenario.Slowdowns() {
		start, end := max(d.Start, first), min(d.End, last)
		if start >= end {
			continue
		}
		one := Slowdown{
			Kind: d.Kind, NodePool: d.Pool.String(), Pace: d.Pace, Start: time.UnixMilli(start).UTC(), End: time.UnixMilli(end).UTC(), Training: []Interval{},
		}
		if d.GPU.Node >= 0 {
			one.Node = w.fleet.Nodes[d.GPU.Node].Name
		}
		if d.GPU.Index >= 0 {
			one.GPU = &d.GPU.Index
		}
		for _, stretch := range w.scenario.Reader(d.Pool, end).Stretches(start, end) {
			if stretch.Load.Compute > 0.5 {
				one.Training = extend(one.Training, time.UnixMilli(stretch.Start).UTC(), time.UnixMilli(stretch.End).UTC())
			}
		}
		all = append(all, one)
	}
	return all
}

// extend adds an interval, or makes the last one longer that ends where it starts.
func extend(all []Interval, start, end time.Time) []Interval {
	if n := len(all); n > 0 && all[n-1].End.Equal(start) {
		all[n-1].End = end
		return all
	}
	return append(all, Interval{start, end})
}
