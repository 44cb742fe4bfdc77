package scenes

import (
	"github.com/prometheus/prometheus/storage"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/samples"
)

// store has the samples of a scene for the PromQL engine.
func store(series []Series) storage.Queryable {
	all := make(samples.List, len(series))
	for i, s := range series {
		all[i] = &samples.Series{Labels: s.Labels}
		for _, one := range s.Samples {
			all[i].Samples = append(all[i].Samples, samples.Float(one.At.UnixMilli(), one.Value))
		}
	}
	return all
}
