package metrics

import (
	"math"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb/chunkenc"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// series is one time series: what it measures, and the inputs of its formula.
type series struct {
	labels    labels.Labels
	column    *column
	labelSets *labelSets
	window    window // in which it has samples

	entity   uint64  // hash of what is measured; the same for all families that measure it
	target   uint64  // hash of what is scraped; the same for all series that are scraped together
	scale    float64 // how this one differs from its peers: 0.97 to 1.03
	pool     scenario.NodePool
	node     int     // position in the fleet
	nodes    float64 // nodes behind the series: more than 1 for what a pool shares
	gpu      int     // position on the node
	position int     // on an axis made by enum
	bucket   int     // on bucketAxis
	job      *scenario.Job
	failures []scenario.NodeFailure // of the node

	hot bool // the GPU that heat slows down

	phase float64 // where in the swing of counters this one is

	now, late int64 // the platform's clock, and how late samples appear at most, in milliseconds
}

// identify sets what is measured.
func (s *series) identify(entity uint64) {
	s.entity = entity
	s.scale = 0.97 + 0.06*scenario.Unit(scenario.Mix(entity, 1))
	s.phase = 2 * math.Pi * scenario.Unit(scenario.Mix(entity, 2))
}

// Labels implements storage.Series.
func (s *series) Labels() labels.Labels { return s.labels }

// Iterator implements storage.Series.
func (s *series) Iterator(reuse chunkenc.Iterator) chunkenc.Iterator {
	it, ok := reuse.(*iterator)
	if !ok {
		it = &iterator{}
	}
	*it = iterator{s: s, reader: s.labelSets.scenario.Reader(s.pool, s.window.to+int64(swing)), next: s.firstDue(s.window.from)}
	return it
}

// firstDue returns when the first scrape is due that can give a sample at or after t.
func (s *series) firstDue(t int64) int64 {
	return -floorDiv(s.labelSets.collection.Jitter.Milliseconds()-t, s.column.interval) * s.column.interval
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// sample computes the sample at t. It uses m, which is kept from one sample to the next.
func (s *series) sample(m *moment, reader *scenario.Reader, t int64) float64 {
	m.t = t
	restart, restarted := s.restarted(t)
	if restarted && t-restart < s.column.interval {
		return stale
	}
	if s.column.accumulated {
		m.load = &m.sum
		s.accumulated(m.load, reader, t)
		if restarted {
			*m.load = m.load.Plus(s.before(m, reader, restart), -1)
		}
	} else {
		m.load = s.instant(reader, t)
	}
	return s.column.value(s, m)
}

// before returns the load up to a restart, after which counters begin at 0 again.
func (s *series) before(m *moment, reader *scenario.Reader, restart int64) *scenario.Load {
	if m.restart != restart {
		m.restart = restart
		s.accumulated(&m.before, reader, restart)
	}
	return &m.before
}

// swing is how far the load behind a counter runs ahead or behind, in milliseconds: its rate varies by ±20 % over some ten minutes,
// while the counter itself never falls.
const swing, swingPeriod = 20e3, 628e3

// ahead returns the time whose load a counter has at t.
func (s *series) ahead(t int64) int64 {
	return t + int64(swing*math.Sin(2*math.Pi*float64(t)/swingPeriod+s.phase))
}

// accumulated sets the load of a counter.
func (s *series) accumulated(load *scenario.Load, reader *scenario.Reader, t int64) {
	s.accumulate(load, reader, s.ahead(t))
	load.Time = float64(t-s.labelSets.scenario.Begin()) / 1000
}

// outOfService is the load of a node with a failed GPU.
var outOfService = scenario.Load{Time: 1}

// serves reports whether no GPU of the node has failed at t.
func (s *series) serves(t int64) bool {
	for _, f := range s.failures {
		if t >= f.At && t < f.Repaired {
			return false
		}
	}
	return true
}

// instant returns the load at t.
func (s *series) instant(reader *scenario.Reader, t int64) *scenario.Load {
	if !s.serves(t) {
		return &outOfService
	}
	return reader.Peek(t)
}

// accumulate sets the load up to t, less what the node missed while it had a failed GPU.
func (s *series) accumulate(load *scenario.Load, reader *scenario.Reader, t int64) {
	reader.Sum(t, load)
	for _, f := range s.failures {
		if t <= f.At {
			break
		}
		end, begin := reader.Until(min(t, f.Repaired)), reader.Until(f.At)
		*load = load.Plus(&end, -1).Plus(&begin, 1)
	}
}

// iterator walks over a series' samples; each is computed when it is read.
type iterator struct {
	s      *series
	reader *scenario.Reader
	next   int64 // when the next scrape is due
	at     int64 // time of the current sample, 0 before the first
	moment moment

	value   float64 // of the sample at valueAt
	valueAt int64   // 0 before the first is computed: the engine reads most samples twice
}

// Next implements chunkenc.Iterator.
func (it *iterator) Next() chunkenc.ValueType {
	for it.next <= it.s.window.to {
		at, ok := it.s.scraped(it.next)
		it.next += it.s.column.interval
		if ok && at >= it.s.window.from && at <= it.s.window.to && it.s.appeared(at) {
			it.at = at
			return chunkenc.ValFloat
		}
	}
	return chunkenc.ValNone
}

// millis is Unix milliseconds. With it vet doesn't take Seek for io.Seeker's.
type millis = int64

// Seek implements chunkenc.Iterator.
func (it *iterator) Seek(t millis) chunkenc.ValueType {
	if it.at != 0 && it.at >= t {
		return chunkenc.ValFloat
	}
	it.next = max(it.next, it.s.firstDue(t))
	for {
		if found := it.Next(); found == chunkenc.ValNone || it.at >= t {
			return found
		}
	}
}

// At implements chunkenc.Iterator.
func (it *iterator) At() (int64, float64) {
	if it.valueAt != it.at {
		it.value, it.valueAt = it.s.sample(&it.moment, it.reader, it.at), it.at
	}
	return it.at, it.value
}

// AtT implements chunkenc.Iterator.
func (it *iterator) AtT() int64 { return it.at }

// AtST implements chunkenc.Iterator: start timestamps are not known.
func (it *iterator) AtST() int64 { return 0 }

// AtHistogram implements chunkenc.Iterator: there are no native histograms.
func (it *iterator) AtHistogram(*histogram.Histogram) (int64, *histogram.Histogram) { return 0, nil }

// AtFloatHistogram implements chunkenc.Iterator: there are no native histograms.
func (it *iterator) AtFloatHistogram(*histogram.FloatHistogram) (int64, *histogram.FloatHistogram) {
	return 0, nil
}

// Err implements chunkenc.Iterator.
func (it *iterator) Err() error { return nil }
