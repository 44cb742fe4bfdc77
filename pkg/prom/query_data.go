package prom

import (
	"context"
	"fmt"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// QueryData runs one saved query and returns its frames.
//
// A range query returns frames of the type timeseries-multi, an instant query numeric-multi, and a query that is both returns
// first the former. The formats "table" and "heatmap" convert them, but not with alerting set.
// Native histograms are heatmap-cells in every format, as from Grafana's Prometheus data source. With the option "packed", time series are packed frames.
// There is at least one frame, whose meta has the executed query and the notices of the engine.
//
// Errors are *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	q, err := parseQuery(saved, c.MinStep, alerting)
	if err != nil {
		return nil, err
	}
	if q.NoCache {
		ctx = results.NoCache(ctx)
	}
	var all data.Frames
	if q.Ranged {
		result, err := c.Range(ctx, q.Query)
		if err == nil && q.endsEarly() {
			result, err = c.addEndPoint(ctx, q, result)
		}
		if err != nil {
			return nil, err
		}
		if all, err = q.frames(result); err != nil {
			return nil, err
		}
	}
	if q.Instant {
		result, err := c.Instant(ctx, q.At(q.Time))
		if err != nil {
			return nil, err
		}
		frames, err := q.frames(result)
		if err != nil {
			return nil, err
		}
		all = append(all, frames...)
	}
	return all, nil
}

// Instant evaluates a query at its end. Its samples have that time, also if the cache or the platform evaluated it at another time of the
// same interval: tables join the rows of several queries by it.
func (c *Client) Instant(ctx context.Context, q promql.Query) (*promql.Result, error) {
	result, err := c.Source.Instant(ctx, q)
	if err != nil {
		return nil, err
	}
	own := *result
	if own.Type != parser.ValueTypeMatrix {
		own.Matrix = own.Matrix.At(q.End)
	}
	return &own, nil
}

// endsEarly reports whether a query with the option UntilEnd needs a point at its end, because its last step is more than the
// lookback delta before: points are at multiples of the step, which can be hours.
func (q *parsedQuery) endsEarly() bool {
	return q.UntilEnd && q.Format == formatTimeSeries && q.Time.Sub(time.UnixMilli(q.End)) > promql.LookbackDelta
}

// addEndPoint adds a point at the end of the range to each series: the result of an instant query. Its time is a multiple of
// the scrape interval, so that all queries of a dashboard have the same. Warnings and infos of both queries are merged. If the source of
// the point is down, and the query allows a partial result, a warning says that the point is missing.
func (c *Client) addEndPoint(ctx context.Context, q *parsedQuery, ranged *promql.Result) (*promql.Result, error) {
	end := align(q.Time, c.MinStep, 0)
	newest, err := c.Instant(ctx, q.At(end))
	if err != nil {
		if !q.Partial || !transport.IsOutage(err) {
			return nil, err
		}
		return ranged.WithWarning(fmt.Sprintf("%s The point at the end is missing.", err)), nil
	}
	whole := *ranged
	whole.Warnings, whole.Infos = promql.Union(ranged.Warnings, newest.Warnings), promql.Union(ranged.Infos, newest.Infos)
	if isNumber := newest.Type == parser.ValueTypeVector || newest.Type == parser.ValueTypeScalar; isNumber && end.UnixMilli() > q.End {
		whole.Matrix = series.Merge(ranged.Matrix.Ordered(), newest.Matrix.Ordered())
		if err := c.platform.Limits.Check(len(whole.Matrix.Series), whole.Matrix.Samples()); err != nil {
			return nil, err
		}
	}
	return &whole, nil
}
