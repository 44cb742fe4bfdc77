package promql

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Result is the result of a query. It is a value of the caller's, but its members are shared and immutable.
type Result struct {
	// Type is Prometheus' resultType.
	Type parser.ValueType
	// Matrix has the series. That of a scalar is one without labels.
	Matrix *series.Matrix
	// Warnings and Infos are the annotations of the engine. A response with isPartial, as VictoriaMetrics sends it, has a warning.
	Warnings, Infos []string
	// Date is the clock of the engine when it responded, in Unix milliseconds, or if it did not say, that of this process.
	Date int64
	// Took is how long the engine took for the response; see [transport.Took]. It is 0 for a result that is none of one response.
	Took   time.Duration
	Origin Origin
}

// Origin says how much of a result is from the cache.
type Origin struct {
	// FetchedSteps and CachedSteps add up to the steps of the range. FetchedSteps are those that were requested for this
	// result, or for a coalesced one. An instant query has one step.
	FetchedSteps int `json:"askedSteps"`
	CachedSteps  int `json:"cachedSteps"`
	// AsOf is when the result was last fetched, in Unix milliseconds: the platform would have returned the same then.
	AsOf int64 `json:"asOf"`
}

// WithWarning is the result with one more warning.
func (r *Result) WithWarning(text string) *Result {
	own := *r
	own.Warnings = append(slices.Clone(r.Warnings), text)
	return &own
}

// Join joins results of consecutive ranges, whose matrices are in the order of one response, which is that of labels. Its error is that of
// [Limits.Check].
func Join(limits Limits, parts ...*Result) (*Result, error) {
	joined := &Result{Type: parser.ValueTypeMatrix, Origin: Origin{AsOf: parts[0].Origin.AsOf}}
	matrices := make([]*series.Matrix, len(parts))
	for i, part := range parts {
		joined.Origin.FetchedSteps += part.Origin.FetchedSteps
		joined.Origin.CachedSteps += part.Origin.CachedSteps
		joined.Origin.AsOf = min(joined.Origin.AsOf, part.Origin.AsOf)
		joined.Warnings, joined.Infos = Union(joined.Warnings, part.Warnings), Union(joined.Infos, part.Infos)
		matrices[i], _ = part.Matrix.InOrder()
	}
	joined.Matrix = series.Merge(matrices...)
	return joined, limits.Check(len(joined.Matrix.Series), joined.Matrix.Samples())
}

// Union merges two lists of annotations, which are shared, into a new one without duplicates.
func Union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Limits bound the size of a result. 0 is no limit.
type Limits struct {
	// Series is the maximum number of time series, each of which becomes a frame.
	Series int
	// Samples is the maximum number of samples of all series; for native histograms see [series.Histograms.Samples].
	Samples int
	Entries int
	// Total counts the samples of all responses of one result, to which the limit applies then; nil counts those of one response.
	Total *atomic.Int64
}

// Check returns an error if there are more series, or entries of a list, or samples than allowed. It names the limit and what to change.
func (l Limits) Check(series, samples int) error {
	switch {
	case l.Entries > 0 && series > l.Entries:
		return tooMany("The list has more than %d entries, which is the limit. List fewer, with a selector or the parameter limit.", l.Entries)
	case l.Series > 0 && series > l.Series:
		return tooMany("The result has more than %d series, which is the limit. Query fewer, with more labels in the selector, topk() or sum by (…) "+
			"for example; or raise Series per response in the data source's settings, section Advanced.", l.Series)
	case l.Samples > 0 && samples > l.Samples:
		return tooMany("The result has more than %d points, which is the limit. Use a longer step, a shorter range or fewer series, "+
			"with topk() or sum by (…) for example; or raise Points per response in the data source's settings, section Advanced.", l.Samples)
	}
	return nil
}

func tooMany(message string, limit int) error {
	return &transport.Error{Kind: transport.ErrTooLarge, Status: http.StatusBadRequest, Message: fmt.Sprintf(message, limit)}
}
