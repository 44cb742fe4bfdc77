package scenes

import (
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"

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
	all := make([]*samples.Series, len(series))
	for i, s := range series {
		all[i] = &samples.Series{Labels: s.Labels}
		for _, one := range s.Samples {
			all[i].Samples = append(all[i].Samples, samples.Float(one.At.UnixMilli(), one.Value))
		}
	}
	return samples.Selection(func(from, to int64, matchers []*labels.Matcher) []storage.Series {
		return samples.Within(all, from, to, matchers)
	})
}
