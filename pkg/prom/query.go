package prom

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// QueryData runs one saved query and returns its frames.
//
// A range query returns frames of the type timeseries-multi, an instant query numeric-multi, and a query that is both returns
// first the former. The format "table" converts them, but not with alerting set, and a browser makes heatmaps of the
// former, as of those of Grafana's Prometheus data source.
// Native histograms are heatmap-cells in every format, as from Grafana's Prometheus data source. With the option "packed", time series are packed frames.
// There is at least one frame, whose meta has the executed query and the notices of the engine.
//
// Errors are *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	q, err := parseQuery(saved, c.MinStep, alerting)
	if err != nil {
		return nil, err
	}
	if q.saved.NoCache {
		ctx = results.NoCache(ctx)
	}
	var queries []promql.Query
	if q.saved.Range {
		queries = append(queries, q.Query)
	}
	if q.saved.Instant {
		queries = append(queries, q.At(q.Time))
	}
	var all data.Frames
	for _, one := range queries {
		result, err := c.Evaluate(ctx, one)
		if err == nil && one.Step > 0 && q.endsEarly() {
			result, err = c.addEndPoint(ctx, q, result)
		}
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

// endsEarly reports whether a query with the option UntilEnd needs a point at its end, because its last step is more than the
// lookback delta before: points are at multiples of the step, which can be hours.
func (q *parsedQuery) endsEarly() bool {
	return q.saved.UntilEnd && q.saved.Format == formatTimeSeries && q.Time.Sub(time.UnixMilli(q.End)) > promql.LookbackDelta
}

// addEndPoint adds a point at the end of the range to each series: the result of an instant query. Its time is a multiple of
// the scrape interval, so that all queries of a dashboard have the same. Warnings and infos of both queries are merged. If the source of
// the point is down, and the query allows a partial result, a warning says that the point is missing.
func (c *Client) addEndPoint(ctx context.Context, q *parsedQuery, ranged *promql.Result) (*promql.Result, error) {
	end := align(q.Time, c.MinStep, 0)
	newest, err := c.Evaluate(ctx, q.At(end))
	if err != nil {
		if !q.Partial || !transport.IsOutage(err) {
			return nil, err
		}
		return ranged.WithWarning(fmt.Sprintf("%s The point at the end is missing.", err)), nil
	}
	if newest.Type == parser.ValueTypeMatrix || end.UnixMilli() <= q.End {
		newest.Matrix = &series.Matrix{} // it has no later number
	}
	return promql.Join(c.Limits, ranged, newest)
}

// The formats of Grafana's Prometheus query.
const (
	formatTimeSeries = "time_series"
	formatTable      = "table"
	formatHeatmap    = "heatmap"
)

// parsedQuery is one saved PromQL query. Nobody changes it after parsing.
type parsedQuery struct {
	RefID string
	// Query is the range query, whose expression has every macro replaced. Its start and end are multiples of the step in the time
	// zone of the dashboard.
	promql.Query
	Time   time.Time
	legend legend
	// saved are the options, with their defaults.
	saved queryModel
}

// queryModel is the JSON of a saved query of Grafana's Prometheus data source.
type queryModel struct {
	Expr         string  `json:"expr"`
	Range        bool    `json:"range"`
	Instant      bool    `json:"instant"`
	Format       string  `json:"format"`
	LegendFormat string  `json:"legendFormat"`
	Interval     string  `json:"interval"`
	IntervalMS   float64 `json:"intervalMs"`
	UTCOffsetSec int64   `json:"utcOffsetSec"`
	Filters
	// NoCache and UntilEnd are options of this data source. The former bypasses the cache, and the latter adds a point at the end of the
	// dashboard's range to a range whose last step is long before it.
	NoCache  bool `json:"noCache"`
	UntilEnd bool `json:"untilEnd"`
	// Packed is an option that the front end sets in requests, and that is never saved: it packs the series of a range query.
	Packed bool `json:"packed"`
}

// parseQuery parses a saved query, computes its step and its aligned range, and replaces its macros.
//
// minStep is the scrape interval: no step is shorter, unless the query has an "interval" that is. With alerting set the format is
// ignored, because alert rules and server-side expressions need time series, or numbers.
// Errors are *query.Error.
func parseQuery(q backend.DataQuery, minStep time.Duration, alerting bool) (*parsedQuery, error) {
	var m queryModel
	if err := json.Unmarshal(q.JSON, &m); err != nil {
		return nil, query.Unreadable(err)
	}
	if m.Expr == "" {
		return nil, &query.Error{Field: "PromQL", Message: "the query is empty. Write an expression, for example DCGM_FI_DEV_GPU_UTIL."}
	}
	if err := cmp.Or(
		query.AtMost("Legend", "it has %d bytes", len(m.LegendFormat), maxLegend), query.OneOf("Format", m.Format, "", formatTimeSeries, formatTable, formatHeatmap),
	); err != nil {
		return nil, err
	}
	if m.Format != formatTable {
		m.Format = formatTimeSeries
	}
	// Queries saved before the option "range" existed have neither, and are range queries.
	if !m.Instant && !m.Range {
		m.Range = true
	}
	interval, err := newInterval(m, q, minStep)
	if err != nil {
		return nil, err
	}
	of := promql.New(interval.interpolate(m.Expr)) // of whose samples filters change nothing but which series they are of
	if of.Expr, err = m.Apply(of.Expr); err != nil {
		return nil, err
	}
	offset := time.Duration(m.UTCOffsetSec) * time.Second
	of.Start, of.End = align(q.TimeRange.From, interval.step, offset).UnixMilli(), align(q.TimeRange.To, interval.step, offset).UnixMilli()
	of.Step, of.Partial = interval.step.Milliseconds(), !alerting
	if alerting {
		// The reducers of alert rules expect points at equal distances.
		m.Format, m.UntilEnd, m.Packed = formatTimeSeries, false, false
	}
	return &parsedQuery{RefID: q.RefID, Query: of, Time: q.TimeRange.To.UTC(), legend: legend{m.LegendFormat, of.Expr}, saved: m}, nil
}
