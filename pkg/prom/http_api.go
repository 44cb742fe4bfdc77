package prom

import (
	"context"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/params"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// The parameters of each operation of the Prometheus HTTP API.
var (
	instantParams  = map[string]params.Kind{"query": params.Text, "time": params.Time, "timeout": params.Duration, params.Limit: params.Count}
	rangeParams    = map[string]params.Kind{"query": params.Text, "start": params.Time, "end": params.Time, "step": params.Duration, "timeout": params.Duration, params.Limit: params.Count}
	listParams     = map[string]params.Kind{"match[]": params.Text, "start": params.Time, "end": params.Time, params.Limit: params.Count}
	metadataParams = map[string]params.Kind{"metric": params.Text, params.Limit: params.Count}
)

// Query serves api/v1/query, through the cache: the result is what the platform would return, and clients that request the same
// cost one request. Those with a limit or a timeout of their own are not cached.
//
// The parameters are those of the Prometheus HTTP API; others are ignored. Errors are *[params.Error] or *transport.Error.
func (c *Client) Query(ctx context.Context, given url.Values) (*Response, error) {
	checked, err := checkedQuery(given, instantParams)
	if err != nil {
		return nil, err
	}
	at := c.Now()
	if checked.Has("time") {
		at = params.TimeOf(checked, "time")
	}
	result, err := c.evaluateAt(ctx, apiQuery(checked), at)
	return responseTo(result, err, checked)
}

// QueryRange serves api/v1/query_range; see [Client.Query].
func (c *Client) QueryRange(ctx context.Context, given url.Values) (*Response, error) {
	checked, err := checkedQuery(given, rangeParams)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"start", "end", "step"} {
		if !checked.Has(name) {
			return nil, &params.Error{Name: name, Message: "it is missing"}
		}
	}
	step, err := time.ParseDuration(checked.Get("step"))
	start, end := params.TimeOf(checked, "start"), params.TimeOf(checked, "end")
	switch {
	case err != nil || step < time.Millisecond:
		return nil, &params.Error{Name: "step", Message: "it is shorter than a millisecond"}
	case end.Before(start):
		return nil, &params.Error{Name: "end", Message: "it is before the start"}
	case end.Sub(start)/step >= promql.MaxPoints:
		return nil, &params.Error{Name: "step", Message: "the range has more than 11,000 points in each series, the limit of Prometheus. Use a longer step"}
	}
	q := apiQuery(checked)
	q.Start, q.Step = start.UnixMilli(), step.Milliseconds()
	q.End = q.Start + end.Sub(start).Milliseconds()/q.Step*q.Step
	result, err := c.source.Range(ctx, q)
	return responseTo(result, err, checked)
}

func checkedQuery(given url.Values, known map[string]params.Kind) (url.Values, error) {
	checked, err := params.Check(given, known)
	if err == nil && checked.Get("query") == "" {
		err = &params.Error{Name: "query", Message: "it is empty"}
	}
	return checked, err
}

// apiQuery is the query of checked parameters. Those with which it has a result of its own are limit and timeout.
func apiQuery(checked url.Values) promql.Query {
	expr := checked.Get("query")
	q := promql.Query{Expr: expr, Needs: promql.Analyze(expr), Params: url.Values{}}
	for _, name := range []string{params.Limit, "timeout"} {
		if checked.Has(name) {
			q.Params[name] = checked[name]
		}
	}
	return q
}

// responseTo is the result of a query as a response. A result that an archive has a part in may have more series than the limit.
func responseTo(result *promql.Result, err error, checked url.Values) (*Response, error) {
	if err != nil {
		return nil, err
	}
	if most := params.LimitOf(checked); len(result.Matrix.Series) > most {
		result = result.WithWarning("results truncated due to limit")
		result.Matrix = result.Matrix.First(most)
	}
	return &Response{Warnings: result.Warnings, Infos: result.Infos, result: result}, nil
}

// LabelNames serves api/v1/labels. Where the platform has no such endpoint, the names are derived by a PromQL query; the same
// holds for LabelValues, Series and Metadata.
func (c *Client) LabelNames(ctx context.Context, given url.Values) (*Response, error) {
	return c.list(ctx, promql.ListQuery{Kind: promql.LabelNames}, given, listParams)
}

// LabelValues serves api/v1/label/<name>/values.
func (c *Client) LabelValues(ctx context.Context, name string, given url.Values) (*Response, error) {
	if err := params.CheckLabelName(name); err != nil {
		return nil, err
	}
	return c.list(ctx, promql.ListQuery{Kind: promql.LabelValues, Label: name}, given, listParams)
}

// Series serves api/v1/series.
func (c *Client) Series(ctx context.Context, given url.Values) (*Response, error) {
	if len(given["match[]"]) == 0 {
		return nil, &params.Error{Name: "match[]", Message: "at least one selector is needed"}
	}
	return c.list(ctx, promql.ListQuery{Kind: promql.SeriesLabels}, given, listParams)
}

// Metadata serves api/v1/metadata. What the platform does not say of a metric is filled in from the catalog.
func (c *Client) Metadata(ctx context.Context, given url.Values) (*Response, error) {
	response, err := c.list(ctx, promql.ListQuery{Kind: promql.MetricMetadata}, given, metadataParams)
	if err != nil {
		return nil, err
	}
	completed := *response.list
	completed.Metadata = withCatalog(completed.Metadata)
	response.list = &completed
	return response, nil
}

func (c *Client) list(ctx context.Context, q promql.ListQuery, given url.Values, known map[string]params.Kind) (*Response, error) {
	if err := params.CheckSelectors(given["match[]"]); err != nil {
		return nil, err
	}
	checked, err := params.Check(given, known)
	if err != nil {
		return nil, err
	}
	q.Params = checked
	list, err := c.source.List(ctx, q)
	if err != nil {
		return nil, err
	}
	return &Response{Warnings: list.Warnings, Infos: list.Infos, isPartial: list.Partial, kind: q.Kind, list: list}, nil
}
