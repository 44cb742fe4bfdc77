//go:build engines

package engines

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/tsdb/tsdbutil"
)

const (
	interval = time.Minute
	// span is the time range of the samples, and recent the part with native histograms and stale markers.
	span   = 8 * time.Hour
	recent = 2 * time.Hour
	// repeats is how often the float samples are repeated before that, so that there are several days.
	repeats = 10
	seed    = 20_250_602
)

// dataset has the samples of every engine.
type dataset struct {
	series []series
	// from and to are multiples of two hours before the older samples and of a minute after the last.
	from, split, to time.Time
}

type series struct {
	labels  labels.Labels
	samples []sample
}

// sample is a float, or a native histogram.
type sample struct {
	at        time.Time
	value     float64
	histogram *histogram.Histogram
}

// The samples end two minutes before a multiple of their span. VictoriaMetrics learns from the samples of each range how long one is
// valid, and whether the one before a window counts. So some ranges have samples that others don't, which the cache puts together,
// and parts of a range, which end at midnight, have other rates; with other ends of the samples, those of the tests are among them.
const (
	endMultiple = span
	endBefore   = 2 * time.Minute
	// old is how long ago that multiple is at least: of a range that ends within minutes, the cache of VictoriaMetrics 1.79.5 has one point less of
	// absent_over_time than its first response.
	old = 30 * time.Minute
)

// newDataset makes samples up to shortly before a time: gauges, counters with resets, classic histograms, native histograms, missed
// scrapes, a gap, series that come and go, with and without stale markers, NaN and infinities, and labels that need escapes.
// Scrapes are off the whole minute, by an offset for each target and a few seconds more or less each time.
func newDataset(to time.Time) dataset {
	random := rand.New(rand.NewPCG(seed, 0))
	d := dataset{to: to.Add(-old).Truncate(endMultiple).Add(-endBefore)}
	d.from = d.to.Add(-span)
	d.split = d.to.Add(-recent)
	add := func(times []time.Time, value func(i int) float64, name string, more ...string) {
		s := series{labels: named(name, more...)}
		for i, at := range times {
			s.samples = append(s.samples, sample{at: at, value: value(i)})
		}
		d.series = append(d.series, s)
	}
	for node := range 4 {
		times, instance := d.scrapes(random), fmt.Sprintf("node-%d:9400", node)
		for gpu := range 2 {
			of := []string{"instance", instance, "gpu", strconv.Itoa(gpu)}
			add(times, func(i int) float64 {
				return math.Round(50 + 40*math.Sin(float64(i+7*gpu)/20) + 10*random.Float64())
			}, "gpu_util", of...)
			add(times, func(int) float64 { return 40 + 20*random.Float64() }, "gpu_temp", of...)
		}
		total := 0.0
		add(times, func(i int) float64 {
			if i%150 == 149 {
				total = 0 // the target has restarted
			}
			total += math.Floor(100 * random.Float64())
			return total
		}, "requests_total", "instance", instance)
		d.addClassicHistogram(instance, times, random)
	}
	times := d.scrapes(random)
	ordinal := func(i int) float64 { return float64(i) }
	for _, of := range [][]string{{"room", "Büro 😀"}, {"room", `C:\rack "7"`}, {"room", "a\nb"}, {"room", "温度", "size", "größer"}} {
		add(times, func(i int) float64 { return float64(i) / 7 }, "room_temp", of...)
	}
	// VictoriaMetrics stores the values of a block with one exponent, and makes other blocks of them in the background: 1/3 beside
	// 1e300 is 1/3 before that, and then 0. So each magnitude has a series.
	for kind, value := range []float64{1e-300, -1e300, 1.0 / 3, 9007199254740993} {
		add(times, func(i int) float64 {
			return []float64{value, 0, math.Inf(1), value, math.Inf(-1), math.NaN(), value, value}[i%8]
		}, "odd_values", "kind", strconv.Itoa(kind))
	}
	third := len(times) / 3
	add(times[:third], ordinal, "short_lived", "job", "early")
	add(times[2*third:], ordinal, "short_lived", "job", "late")
	add(slices.DeleteFunc(slices.Clone(times), func(at time.Time) bool {
		return at.Hour()%2 == 0 && at.Minute() < 40
	}), ordinal, "short_lived", "job", "on and off")
	d.addStale(times)
	d.addNativeHistograms(random)
	d.repeat()
	return d
}

// named are labels, with a name as __name__ and names and values in turn.
func named(name string, more ...string) labels.Labels {
	return labels.FromStrings(append([]string{model.MetricNameLabel, name}, more...)...)
}

// repeat repeats the samples before their time range, without stale markers and native histograms.
func (d *dataset) repeat() {
	for i, s := range d.series {
		var before []sample
		for n := repeats; n > 0; n-- {
			for _, p := range s.samples {
				if p.histogram == nil && math.Float64bits(p.value) != value.StaleNaN {
					before = append(before, sample{at: p.at.Add(time.Duration(-n) * span), value: p.value})
				}
			}
		}
		d.series[i].samples = append(before, s.samples...)
	}
	d.from = d.from.Add(-repeats * span)
}

// scrapes are the times at which a target is scraped.
func (d dataset) scrapes(random *rand.Rand) []time.Time {
	var times []time.Time
	offset := time.Duration(random.IntN(59_000)) * time.Millisecond
	gap := d.from.Add(3 * time.Hour)
	for at := d.from.Add(offset); at.Before(d.to.Add(-10 * time.Second)); at = at.Add(interval) {
		missed := random.IntN(25) == 0 || at.After(gap) && at.Before(gap.Add(20*time.Minute))
		jittered := at.Add(time.Duration(random.IntN(6000)-3000) * time.Millisecond)
		if !missed && jittered.After(d.from) {
			times = append(times, jittered)
		}
	}
	return times
}

func (d *dataset) addClassicHistogram(instance string, times []time.Time, random *rand.Rand) {
	bounds := []string{"0.005", "0.1", "1", "+Inf"}
	buckets := make([]series, len(bounds))
	for i, bound := range bounds {
		buckets[i] = series{labels: named("latency_seconds_bucket", "instance", instance, "le", bound)}
	}
	counts := make([]float64, len(bounds))
	for _, at := range times {
		below := 0.0
		for i := range bounds {
			counts[i] += math.Floor(20 * random.Float64())
			below += counts[i]
			buckets[i].samples = append(buckets[i].samples, sample{at: at, value: below})
		}
	}
	d.series = append(d.series, buckets...)
}

// addStale adds a series whose target is gone for a while, twice, with stale markers.
func (d *dataset) addStale(times []time.Time) {
	s := series{labels: named("restarted", "job", "a")}
	for i, at := range times {
		switch phase := i % 40; {
		case at.Before(d.split) || phase < 25:
			s.samples = append(s.samples, sample{at: at, value: float64(i)})
		case phase == 25:
			s.samples = append(s.samples, sample{at: at, value: math.Float64frombits(value.StaleNaN)})
		}
	}
	d.series = append(d.series, s)
}

// addNativeHistograms adds a native histogram, and a counter that becomes one.
func (d *dataset) addNativeHistograms(random *rand.Rand) {
	native, became := series{labels: named("latency", "job", "native")}, series{labels: named("latency", "job", "became native")}
	for i, at := range d.scrapes(random) {
		if at.Before(d.split) {
			became.samples = append(became.samples, sample{at: at, value: float64(i)})
			continue
		}
		const lifetime = 60 // scrapes until the target restarts
		next := sample{at: at, histogram: tsdbutil.GenerateTestHistogram(int64(i % lifetime))}
		native.samples, became.samples = append(native.samples, next), append(became.samples, next)
	}
	d.series = append(d.series, native, became)
}
