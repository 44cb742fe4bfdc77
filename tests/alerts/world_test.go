package alerts_test

import (
	"math"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/samples"
)

const (
	hour = 60
	day  = 24 * hour
)

// world is a storage of series that are given by functions of time.
type world struct {
	length int // minutes
	series []*samples.Series
}

// missed is the value of a scrape that failed, or of what is not there.
var missed = math.NaN()

// add adds a series with a sample every step minutes. Labels are names and values in turn, the first name is __name__.
func (w *world) add(step int, name string, value func(m int) float64, more ...string) {
	s := &samples.Series{Labels: labels.FromStrings(append([]string{model.MetricNameLabel, name}, more...)...)}
	for m := 0; m < w.length; m += step {
		if v := value(m); !math.IsNaN(v) {
			s.Samples = append(s.Samples, samples.Float(minute(m).UnixMilli(), v))
		}
	}
	if len(s.Samples) > 0 {
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
	return samples.Selection(func(from, to int64, matchers []*labels.Matcher) []storage.Series {
		return samples.Within(w.series, from, to, matchers)
	}).Querier(from, to)
}
