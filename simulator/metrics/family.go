package metrics

import (
	"math"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// Type is a family's Prometheus metric type.
type Type string

// The metric types in use. A histogram is classic: it has the series _bucket, _sum and _count.
const (
	Gauge     Type = "gauge"
	Counter   Type = "counter"
	Histogram Type = "histogram"
)

// The platform's collection intervals.
const (
	everyMinute      = time.Minute
	everyFiveMinutes = 5 * time.Minute
	everyHalfMinute  = 30 * time.Second
)

// family describes one metric family.
type family struct {
	Name     string
	Type     Type
	Interval time.Duration

	dimensions dimensions
	value      formula // of a gauge or counter
	latency    latency // of a histogram
}

// formula computes one sample. It must depend on nothing but its arguments.
type formula func(s *series, m *moment) float64

// moment is an instant at which a formula is evaluated.
type moment struct {
	t    int64          // Unix milliseconds
	load *scenario.Load // the load now, for a gauge; accumulated since the scenario's beginning, for a counter
	sum  scenario.Load  // room for what is accumulated

	restart int64         // of the target, before the instant
	before  scenario.Load // accumulated until then

	members []series  // the GPUs of the series' node, once a formula needs them
	values  []float64 // room for what a formula gives for each of them
}

// noise returns a number in [-0.5, 0.5) that differs by series, key and minute.
func (m *moment) noise(s *series, key uint64) float64 {
	return scenario.Unit(scenario.Mix(s.entity, key, uint64(m.t/halfMinute))) - 0.5
}

const halfMinute = int64(30 * time.Second / time.Millisecond)

// weigh is the formula of a gauge that follows the load: weights over it, times the series' own scale,
// with relative noise of the given width.
func weigh(weights scenario.Load, width float64) formula {
	key := math.Float64bits(weights.Time + 3*weights.Compute + 5*weights.Tensor + 7*weights.Network + 11*weights.Read)
	return func(s *series, m *moment) float64 {
		return m.load.Dot(&weights) * s.scale * (1 + width*m.noise(s, key))
	}
}

// total is the formula of a counter of whole things: weights over the accumulated load. No weight may
// be negative, so the counter never falls.
func total(weights scenario.Load) formula {
	return func(s *series, m *moment) float64 { return math.Floor(m.load.Dot(&weights) * s.scale) }
}

// coarse is the formula of a counter of many small things, such as nanoseconds, in steps of a quantum: the load of months is not
// precise enough for single ones.
func coarse(quantum float64, f formula) formula {
	return func(s *series, m *moment) float64 { return quantum * math.Floor(f(s, m)) }
}

// constant is the formula of a value that never changes.
func constant(v float64) formula {
	return func(*series, *moment) float64 { return v }
}

// times multiplies a formula by the number of nodes behind the series: for what is shared by a pool.
func times(f formula) formula {
	return func(s *series, m *moment) float64 { return f(s, m) * s.nodes }
}

// column is what PromQL sees under one name: a gauge, a counter, or one of a histogram's three.
type column struct {
	name        string
	accumulated bool
	interval    int64 // milliseconds
	dimensions  dimensions
	value       formula
}

// columns returns the names under which the family's series are found.
func (f *family) columns() []column {
	if f.Type == Histogram {
		return f.latency.columns(f)
	}
	return []column{{f.Name, f.Type == Counter, f.Interval.Milliseconds(), f.dimensions, f.value}}
}

// latency describes a histogram family of times in seconds: calm operations, and busy ones that are
// slower. Both are weights over the load, in operations a second.
type latency struct {
	calm, busy         scenario.Load
	calmMean, busyMean float64 // seconds
}

// bounds are the upper bounds of every latency histogram's buckets, in seconds.
var bounds = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, math.Inf(1)}

// columns returns the three columns of a histogram.
func (l latency) columns(f *family) []column {
	counts := func(s *series, m *moment) (calm, busy float64) {
		return m.load.Dot(&l.calm) * s.scale, m.load.Dot(&l.busy) * s.scale
	}
	named := func(suffix string, sh dimensions, value formula) column {
		return column{f.Name + suffix, true, f.Interval.Milliseconds(), sh, value}
	}
	calmShares, busyShares := shares(l.calmMean), shares(l.busyMean)
	return []column{
		named("_bucket", f.dimensions.with(bucketAxis), func(s *series, m *moment) float64 {
			calm, busy := counts(s, m)
			return math.Floor(calm*calmShares[s.bucket] + busy*busyShares[s.bucket])
		}),
		named("_sum", f.dimensions, func(s *series, m *moment) float64 {
			calm, busy := counts(s, m)
			return calm*l.calmMean + busy*l.busyMean
		}),
		named("_count", f.dimensions, func(s *series, m *moment) float64 {
			calm, busy := counts(s, m)
			return math.Floor(calm + busy)
		}),
	}
}

// shares returns the part of operations in each bucket, see share.
func shares(mean float64) []float64 {
	list := make([]float64, len(bounds))
	for i, bound := range bounds {
		list[i] = share(bound, mean)
	}
	return list
}

// share returns the part of operations that take at most bound seconds, when they take mean seconds on
// average: an Erlang distribution of order 2, which is nothing at nothing and has a long tail.
func share(bound, mean float64) float64 {
	if math.IsInf(bound, 1) {
		return 1
	}
	x := 2 * bound / mean
	return 1 - (1+x)*math.Exp(-x)
}

// families returns every family of the platform, group by group.
func (w *labelSets) families() []family {
	return slices.Concat(
		w.gpuFamilies(), w.gpuProfilingFamilies(), w.rollupFamilies(),
		w.nodeFamilies(), w.diskFamilies(), w.nvmeFamilies(), w.infinibandFamilies(), w.sharedDiskFamilies(), w.objectStorageFamilies(),
		w.loadBalancerFamilies(), w.slurmFamilies(), w.customFamilies(),
	)
}

// collect fills in what the families of a group have in common.
func collect(interval time.Duration, sh dimensions, families []family) []family {
	for i := range families {
		families[i].Interval = interval
		if families[i].dimensions == nil {
			families[i].dimensions = sh
		}
	}
	return families
}
