package promql

import (
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// Result is the result of a query. It is a value of the caller's, but its members are shared and immutable.
type Result struct {
	// Type is Prometheus' resultType.
	Type parser.ValueType
	// Matrix has the series. That of a scalar is one without labels, and that of a string has a time but no value.
	Matrix *series.Matrix
	// Text is the value of a string.
	Text string
	// Warnings and Infos are the annotations of the engine. A response with isPartial, as VictoriaMetrics sends it, has a warning.
	Warnings, Infos []string
	// Date is the clock of the engine when it responded, in Unix milliseconds; 0 if it did not say.
	Date int64
	// Took is how long the engine took for the response; see [transport.Took]. It is 0 for a result that is none of one response.
	Took time.Duration
	// Origin says how much of the result is from the cache.
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

// Frames are the frames of the series; see [series.Matrix.Frames]. That of a string has a text as "Value".
func (r *Result) Frames() data.Frames {
	if r.Type != parser.ValueTypeString {
		return r.Matrix.Frames()
	}
	at := time.UnixMilli(r.Matrix.Series[0].Times[0]).UTC()
	return data.Frames{data.NewFrame("", data.NewField(data.TimeSeriesTimeFieldName, nil, []time.Time{at}), data.NewField(data.TimeSeriesValueFieldName, nil, []string{r.Text}))}
}

// From is the result of another origin.
func (r *Result) From(o Origin) *Result {
	own := *r
	own.Origin = o
	return &own
}

// WithWarning is the result with one more warning.
func (r *Result) WithWarning(text string) *Result {
	own := *r
	own.Warnings = append(slices.Clone(r.Warnings), text)
	return &own
}

// Union merges two lists of annotations, which are shared, into a new one without duplicates.
func Union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
