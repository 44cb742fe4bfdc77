package rangecache

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// What the caches of all data sources of this process do. Grafana exposes it among its plugins' metrics.
var (
	requests = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "gpucloud_cache_requests_total",
		Help: "Questions to the cache of metrics, by kind (range, instant, lookup) and result: hit, nothing was asked; partial, a part was; miss, all was; bypass, the query can't be kept.",
	}, []string{"kind", "result"})
	coalesced = promauto.NewCounter(prometheus.CounterOpts{
		Name: "gpucloud_cache_coalesced_total",
		Help: "Questions that were answered together with the same question of someone else, who asked at the same time.",
	})
	steps = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "gpucloud_cache_steps_total",
		Help: "Steps of range queries, by origin: asked of the platform, or cached.",
	}, []string{"origin"})
	evictions = promauto.NewCounter(prometheus.CounterOpts{
		Name: "gpucloud_cache_evictions_total",
		Help: "Answers that were dropped to make room.",
	})
	keptBytes = promauto.NewGauge(prometheus.GaugeOpts{
		Name: "gpucloud_cache_bytes",
		Help: "Memory that kept answers take.",
	})
)

// Kinds and results of questions.
const (
	kindRange   = "range"
	kindInstant = "instant"
	kindLookup  = "lookup"

	hit     = "hit"
	partial = "partial"
	miss    = "miss"
	bypass  = "bypass"
)

func count(kind, result string) { requests.WithLabelValues(kind, result).Inc() }

func countSteps(o Origin) {
	steps.WithLabelValues("asked").Add(float64(o.AskedSteps))
	steps.WithLabelValues("cached").Add(float64(o.CachedSteps))
}
