package results

import (
	"context"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/annotations"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// The reasons why a result is not cached, as values of a label. The first of them bypass the cache, and after the others a response
// was not stored.
const (
	turnedOff    = "off"            // the cache of the data source
	requested    = "requested"      // by the query or its caller
	notPromQL    = "not_promql"     // so that nothing is known of the expression
	otherSamples = "other_samples"  // a step depends on the range, on a fixed time or on later samples
	tooManySteps = "too_many_steps" // more than an extent may have
	contention   = "contention"     // a query with another range, which shared the request, has trimmed the extent

	warning   = "warning"   // data may be missing
	oneRange  = "one_range" // infos that hold for the range of the response only
	noMatrix  = "no_matrix" // samples off the steps, native histograms, or series that are not in the order of their labels
	tooLarge  = "too_large" // for the memory of the cache
	alignment = "alignment" // an entry is not reused: the engine may move the steps of a long range, but not those of its parts
)

type noCache struct{}

// NoCache returns a context whose queries bypass the cache: they neither read entries nor store or replace any.
func NoCache(ctx context.Context) context.Context { return context.WithValue(ctx, noCache{}, true) }

// bypassed is the reason why all queries of a context bypass the cache, or empty.
func (c *Cache) bypassed(ctx context.Context) string {
	switch {
	case c.MaxBytes <= 0:
		return turnedOff
	case ctx.Value(noCache{}) != nil:
		return requested
	}
	return ""
}

// reasonToBypass is the reason why a query bypasses the cache, or empty.
func (c *Cache) reasonToBypass(ctx context.Context, q promql.Query) string {
	switch reason := c.bypassed(ctx); {
	case reason != "":
		return reason
	case !q.Needs.PromQL:
		return notPromQL
	case q.Step == 0:
		return ""
	case !q.Needs.PerStep:
		return otherSamples
	case (q.End-q.Start)/q.Step > promql.MaxPoints:
		return tooManySteps
	}
	return ""
}

// unmergeable is the reason why the response to a query can't be cached, or empty.
func unmergeable(r *promql.Result, q promql.Query) string {
	switch {
	case len(r.Warnings) > 0: // data may be missing
		return warning
	case !isMatrix(r, q):
		return noMatrix
	case !infosMerge(r.Infos):
		return oneRange
	}
	return ""
}

// isMatrix reports whether a response has a place for each sample, so that it can be merged with others: no native histograms,
// sorted series, and samples on the steps of the request, which some engines move.
func isMatrix(r *promql.Result, q promql.Query) bool {
	return r.Type == parser.ValueTypeMatrix && r.Matrix.Sorted && r.Matrix.OnSteps(q.Start, q.End, q.Step)
}

// maxInfos bounds the infos of an extent; the rest are dropped. Prometheus returns at most ten with a response.
const maxInfos = 16

// mergeable are the infos whose texts depend on nothing but the name or type of a metric. Others contain times and counts, or
// the number of infos that are omitted.
var mergeable = []string{annotations.PossibleNonCounterInfo.Error(), annotations.PossibleNonCounterLabelInfo.Error()}

// infosMerge reports whether the infos of a response can be merged with those of other ranges.
func infosMerge(infos []string) bool {
	return !slices.ContainsFunc(infos, func(text string) bool {
		return !slices.ContainsFunc(mergeable, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
	})
}

// The metrics count for all data sources of the process. Grafana exposes them with the metrics of plugins.
var (
	requests = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "gpucloud_cache_requests_total",
		Help: "Queries of the metrics cache, by kind (range, instant, lookup) and result: hit, nothing was requested from the platform; partial, a part of the range was; miss, all of it was; bypass, the query can't be cached.",
	}, []string{"kind", "result"})
	uncached = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "gpucloud_cache_uncached_total",
		Help: "Results that were not cached, by kind and reason. With off, requested, not_promql, other_samples, too_many_steps and contention the query bypassed the cache; with warning, one_range, no_matrix and too_large a response was not stored; with alignment an entry was not reused.",
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

func kindOf(q promql.Query) string {
	if q.Step == 0 {
		return kindInstant
	}
	return kindRange
}

func count(kind, result string) { requests.WithLabelValues(kind, result).Inc() }

// countUncached counts a result that is not cached.
func countUncached(kind, reason string) { uncached.WithLabelValues(kind, reason).Inc() }
