package alerts_test

import (
	"math"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/samples"
)

const (
	hour = 60
	day  = 24 * hour
)

// world is a storage of series that are given by functions of time.
type world struct {
	length int // minutes
	series []*ofTime
}

// ofTime is a series with a sample every step minutes, the first of them at a multiple of that. NaN is a scrape that was missed.
type ofTime struct {
	labels      labels.Labels
	step, first int
	values      []float64
}

// within is the part of the series in a range of Unix milliseconds, so that no query reads all that was before.
func (s *ofTime) within(from, to int64) *ofTime {
	interval, first := int64(s.step)*60_000, int64(s.first)
	begin, end := max((from+interval-1)/interval-first, 0), max(min(to/interval+1-first, int64(len(s.values))), 0)
	return &ofTime{s.labels, s.step, s.first + int(begin), s.values[min(begin, end):end]}
}

// missed is the value of a scrape that failed, or of what is not there.
var missed = math.NaN()

// add adds a series, from its first sample to its last. Labels are names and values in turn, the first name is __name__.
func (w *world) add(step int, name string, value func(m int) float64, more ...string) {
	s := &ofTime{labels: labels.FromStrings(append([]string{model.MetricNameLabel, name}, more...)...), step: step}
	values, last := make([]float64, w.length/step), -1
	for i := range values {
		values[i] = value(i * step)
		if math.IsNaN(values[i]) {
			continue
		}
		if last < 0 {
			s.first = i
		}
		last = i
	}
	if last >= 0 {
		s.values = slices.Clone(values[s.first : last+1])
		w.series = append(w.series, s)
	}
}

// noise is between -1 and 1, the same for the same numbers.
func noise(numbers ...int) float64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, n := range numbers {
		h = (h ^ uint64(n)) * 0xBF58476D1CE4E5B9
		h ^= h >> 29
	}
	return float64(h>>11)/(1<<52) - 1
}

// Querier implements storage.Queryable.
func (w *world) Querier(from, to int64) (storage.Querier, error) {
	return samples.Selection(func(from, to int64, matchers []*labels.Matcher) (found []storage.Series) {
		for _, s := range w.series {
			if !samples.Match(s.labels, matchers) {
				continue
			}
			if part := s.within(from, to); len(part.values) > 0 {
				found = append(found, part)
			}
		}
		return found
	}).Querier(from, to)
}

// Labels implements storage.Series.
func (s *ofTime) Labels() labels.Labels { return s.labels }

// Iterator implements storage.Series.
func (s *ofTime) Iterator(chunkenc.Iterator) chunkenc.Iterator {
	return &ofTimeIterator{chunkenc.NewNopIterator(), s, -1}
}

type ofTimeIterator struct {
	chunkenc.Iterator // of no histogram and no error
	*ofTime
	at int
}

func (i *ofTimeIterator) Next() chunkenc.ValueType {
	for i.at++; i.at < len(i.values); i.at++ {
		if !math.IsNaN(i.values[i.at]) {
			return chunkenc.ValFloat
		}
	}
	return chunkenc.ValNone
}

// millis is Unix milliseconds. With it vet doesn't take Seek for io.Seeker's.
type millis = int64

func (i *ofTimeIterator) Seek(t millis) chunkenc.ValueType {
	interval := int64(i.step) * 60_000
	if first := int((t+interval-1)/interval) - i.first; first > i.at {
		i.at = max(first, 0) - 1
	} else if i.at >= 0 && i.at < len(i.values) {
		return chunkenc.ValFloat
	}
	return i.Next()
}

func (i *ofTimeIterator) AtT() int64           { return int64((i.first+i.at)*i.step) * 60_000 }
func (i *ofTimeIterator) At() (int64, float64) { return i.AtT(), i.values[i.at] }
