package promql

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var stages = promauto.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "gpucloud_promql_stage_duration_seconds",
	Help:    "Duration of the stages of PromQL queries, each with those after it: archive (which divides and joins), cache, endpoint; and frames, which makes them of a result. The source of cache and endpoint is platform or archive.",
	Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
}, []string{"stage", "source"})

// Stage measures a stage of a query, or of a list, until the returned function is called. source is empty for a stage of both sources.
// The metric counts for all data sources of the process.
func Stage(name, source string) (done func()) {
	start := time.Now()
	return func() { stages.WithLabelValues(name, source).Observe(time.Since(start).Seconds()) }
}
