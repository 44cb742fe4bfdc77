package results

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// The metrics count for all data sources of the process. Grafana exposes them with the metrics of plugins.
var (
	requests = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "gpucloud_cache_requests_total",
		Help: "Queries of the metrics cache, by kind (range, instant, lookup) and result: hit, nothing was requested from the platform; partial, a part of the range was; miss, all of it was; bypass, the query can't be cached.",
	}, []string{"kind", "result"})
	uncached = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "gpucloud_cache_uncached_total",
		Help: "Results that were not cached, by kind and reason. With off, requested, not_promql, other_samples, too_many_steps and contention the query bypassed the cache; with warning, one_range, many_infos, no_matrix and too_large a response was not stored; with alignment an entry was not reused.",
	}, []string{"kind", "reason"})
)

// Values of the labels kind and result.
const (
	kindRange   = "range"
	kindInstant = "instant"
	kindList    = "lookup"

	hit     = "hit"
	partial = "partial"
	miss    = "miss"
	bypass  = "bypass"
)

func count(kind, result string) { requests.WithLabelValues(kind, result).Inc() }

// countUncached counts a result that is not cached, and the query if it bypasses the cache.
func countUncached(kind, reason string) {
	uncached.WithLabelValues(kind, reason).Inc()
	switch reason {
	case turnedOff, requested, notPromQL, otherSamples, tooManySteps, contention:
		count(kind, bypass)
	}
}
