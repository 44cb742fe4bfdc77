package prom

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// DefaultRetention is how long the platform stores samples.
const DefaultRetention = 30 * 24 * time.Hour

// Range evaluates PromQL at each step of a range, through the cache. Start and end are multiples of step. The result is a
// matrix; see [promjson.Result]. Its frames are the caller's, but not their labels. Queries of one expression with different
// scopes have different cache entries.
//
// Errors are *transport.Error.
func (c *Client) Range(ctx context.Context, expr string, start, end time.Time, step time.Duration, scope string) (*promjson.Result, error) {
	result, _, err := c.runRange(ctx, &parsedQuery{Expr: expr, Needs: promql.Analyze(expr), Range: true, Start: start, End: end, Step: step, Scope: scope})
	if err != nil {
		return nil, err
	}
	return result.WithFrames(), nil
}

// Instant evaluates PromQL at a time, through the cache. For a time that is past the delay of samples the result stays in the
// cache until the platform deletes the samples. The result is a vector or a scalar.
//
// Errors are *transport.Error.
func (c *Client) Instant(ctx context.Context, expr string, at time.Time) (*promjson.Result, error) {
	result, _, err := c.runInstant(ctx, &parsedQuery{Expr: expr, Needs: promql.Analyze(expr), Instant: true, At: at})
	return result, err
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
	var f filters
	for _, name := range slices.Sorted(maps.Keys(labels)) { // the same text each time, for the cache
		f.adhoc = append(f.adhoc, LabelFilter{Key: name, Operator: "equals", Value: labels[name]})
	}
	return f.apply(expr, withMatchers)
}
