package promql

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var stages = promauto.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "gpucloud_promql_stage_duration_seconds",
	Help:    "Duration of the stages of PromQL queries, each with those after it: archive (which divides and joins), cache, endpoint; and frames, which makes them of a result.",
	Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
}, []string{"stage"})

// Stage measures a stage of a query until the returned function is called. The metric counts for all data sources of the process.
func Stage(name string) (done func()) {
	start := time.Now()
	return func() { stages.WithLabelValues(name).Observe(time.Since(start).Seconds()) }
}
