package prom

import (
	"context"
	"net/url"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// Query serves api/v1/query, through the cache: the result is what the platform would return, and clients that request the same
// cost one request.
//
// The parameters are those of the Prometheus HTTP API. Others are ignored, and so are limit and timeout: the settings have both, for all.
// Errors are *query.Error or *transport.Error.
func (c *Client) Query(ctx context.Context, given url.Values) (*Response, error) {
	p := paramsReader{given: given}
	p.require("query")
	at := p.time("time")
	if p.err != nil {
		return nil, p.err
	}
	if at.IsZero() {
		at = c.Now()
	}
	return c.evaluated(ctx, promql.New(p.text("query")).At(at))
}

// QueryRange serves api/v1/query_range; see [Client.Query].
func (c *Client) QueryRange(ctx context.Context, given url.Values) (*Response, error) {
	p := paramsReader{given: given}
	start, end, step := p.time("start"), p.time("end"), p.duration("step")
	p.require("query", "start", "end", "step")
	switch {
	case p.err != nil:
		return nil, p.err
	case end.Before(start):
		p.fail("end", "it is before the start")
	case end.Sub(start)/step >= promql.MaxPoints:
		p.fail("step", "the range has more than 11,000 points in each series, the limit of Prometheus. Use a longer step")
	}
	if p.err != nil {
		return nil, p.err
	}
	return c.evaluated(ctx, promql.New(p.text("query")).Over(start, start.Add(end.Sub(start).Truncate(step)), step))
}

func (c *Client) evaluated(ctx context.Context, q promql.Query) (*Response, error) {
	result, err := c.Evaluate(ctx, q)
	if err != nil {
		return nil, err
	}
	return &Response{Warnings: result.Warnings, Infos: result.Infos, result: result}, nil
}

// LabelNames serves api/v1/labels. Where the platform has no such endpoint, the names are derived by a PromQL query; the same
// holds for LabelValues and Series.
func (c *Client) LabelNames(ctx context.Context, given url.Values) (*Response, error) {
	return c.list(ctx, promql.ListQuery{}, given)
}

// LabelValues serves api/v1/label/<name>/values. A name that no path can have is escaped as U__….
//
// Source: https://prometheus.io/docs/prometheus/latest/querying/api/#querying-label-values
func (c *Client) LabelValues(ctx context.Context, name string, given url.Values) (*Response, error) {
	if !model.LegacyValidation.IsValidLabelName(name) {
		return nil, invalidParam("name", "not a label name")
	}
	return c.list(ctx, promql.ListQuery{Label: name}, given)
}

// Series serves api/v1/series.
func (c *Client) Series(ctx context.Context, given url.Values) (*Response, error) {
	p := paramsReader{given: given}
	if p.require("match[]"); p.err != nil {
		return nil, p.err
	}
	return c.list(ctx, promql.ListQuery{Series: true}, given)
}

// Metadata serves api/v1/metadata, by the names of the metrics that the platform has: see [describe].
func (c *Client) Metadata(ctx context.Context, given url.Values) (*Response, error) {
	params := url.Values{"limit": given["limit"]}
	if metric := given.Get("metric"); metric != "" {
		named := &labels.Matcher{Type: labels.MatchEqual, Name: model.MetricNameLabel, Value: metric}
		params.Set("match[]", selectorOf([]*labels.Matcher{named}))
	}
	response, err := c.list(ctx, promql.ListQuery{Label: model.MetricNameLabel}, params)
	if err != nil {
		return nil, err
	}
	response.metadata = map[string][]metadata{}
	for _, metric := range response.list.Names {
		name, m := describe(metric)
		response.metadata[name] = []metadata{m}
	}
	return response, nil
}

func selectorOf(matchers []*labels.Matcher) string {
	return (&parser.VectorSelector{LabelMatchers: matchers}).String()
}

func (c *Client) list(ctx context.Context, q promql.ListQuery, given url.Values) (*Response, error) {
	p := paramsReader{given: given}
	q.Matches, q.Start, q.End, q.Limit = p.selectors(), p.time("start"), p.time("end"), p.count("limit")
	if p.err != nil {
		return nil, p.err
	}
	list, err := c.List(ctx, q)
	if err != nil {
		return nil, err
	}
	return &Response{Warnings: list.Warnings, Infos: list.Infos, list: list}, nil
}
