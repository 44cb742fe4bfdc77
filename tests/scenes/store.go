package scenes

import (
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunks"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/samples"
)

// Storage has series in the notation of promqltest, with a sample at each step from a time on.
func Storage(from time.Time, step time.Duration, lines ...string) (storage.Queryable, error) {
	s := Scene{start: from}
	load := s.load(0, step)
	for _, line := range lines {
		if err := load(line); err != nil {
			return nil, err
		}
	}
	return store(s.Series), nil
}

// store has the samples of a scene for the PromQL engine.
func store(series []Series) storage.Queryable {
	return samples.Selection(func(from, to int64, matchers []*labels.Matcher) (found []storage.Series) {
		for _, s := range series {
			if !samples.Match(s.Labels, matchers) {
				continue
			}
			var some []chunks.Sample
			for _, one := range s.Samples {
				if at := one.At.UnixMilli(); at >= from && at <= to {
					some = append(some, samples.Float(at, one.Value))
				}
			}
			if len(some) > 0 {
				found = append(found, storage.NewListSeries(s.Labels, some))
			}
		}
		return found
	})
}
