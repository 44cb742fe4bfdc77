package prom

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// Range evaluates PromQL at each step of a range, through the cache. Start and end are multiples of step. The result is a
// matrix. Queries of one expression with different scopes have different cache entries.
//
// Errors are *transport.Error.
func (c *Client) Range(ctx context.Context, expr string, start, end time.Time, step time.Duration, scope string) (*promql.Result, error) {
	return c.source.Range(ctx, promql.Query{
		Expr: expr, Needs: promql.Analyze(expr), Start: start.UnixMilli(), End: end.UnixMilli(), Step: step.Milliseconds(), Scope: scope,
	})
}

// Instant evaluates PromQL at a time, through the cache. For a time that is past the delay of samples the result stays in the
// cache until the platform deletes the samples. The result is a vector or a scalar.
//
// Errors are *transport.Error.
func (c *Client) Instant(ctx context.Context, expr string, at time.Time) (*promql.Result, error) {
	return c.evaluateAt(ctx, promql.Query{Expr: expr, Needs: promql.Analyze(expr)}, at)
}

// Step is the distance of so many points over a range, rounded to a round interval; it is no shorter than the scrape interval.
func (c *Client) Step(timeRange time.Duration, points int64) time.Duration {
	return automaticStep(timeRange, points, c.MinStep)
}

// Interpolate replaces the macros of Grafana's Prometheus data source, such as $__rate_interval, for a range and a step.
func (c *Client) Interpolate(expr string, timeRange, step time.Duration) string {
	return interval{step: step, rateInterval: rateInterval(step, c.MinStep), timeRange: timeRange}.interpolate(expr)
}

// WithLabels adds a matcher for each label to each selector of an expression.
//
// Errors are *query.Error.
func WithLabels(expr string, labels map[string]string) (string, error) {
	var f Filters
	for _, name := range slices.Sorted(maps.Keys(labels)) { // the same text each time, for the cache
		f.AdhocFilters = append(f.AdhocFilters, labelFilter{Key: name, Operator: "equals", Value: labels[name]})
	}
	return f.Apply(expr)
}
