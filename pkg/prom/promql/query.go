// Package promql parses PromQL within bounds.
//
// The time and memory of Prometheus' parser grow with the square of the nesting of an expression, and it compiles the regular
// expressions of label matchers. A few kilobytes can cost seconds and hundreds of megabytes. So a scan in linear time precedes
// every call of the parser: expressions over a bound are not parsed, and the parser reads regular expressions as plain values.
package promql

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// Source evaluates PromQL: an endpoint, its cache, or an archive with the platform. Errors are *transport.Error.
type Source interface {
	// Evaluate evaluates a query: at each step of a range, of which the result is a matrix, or at its time. Samples of the latter have that
	// time, also where they were evaluated at another one of the same interval: tables join the rows of several queries by it.
	Evaluate(ctx context.Context, q Query) (*Result, error)
	List(ctx context.Context, q ListQuery) (*List, error)
}

// Config is what the stages of queries to one source have in common.
type Config struct {
	// Source is the name of the source in metrics.
	Source string
	// Interval is the scrape interval.
	Interval time.Duration
	// Retention is how long the source stores samples.
	Retention time.Duration
	// Limits bound a response, and what is merged of several, and with it the memory of the Grafana server.
	Limits Limits
	Now    func() time.Time
}

// Query is an expression, which is analyzed once, with all that its result depends on. It is a value: nobody changes one that others
// have.
type Query struct {
	Expr  string
	Needs Needs
	// Start and End are the first step and the last one, and Step is their distance, in milliseconds. The end of a range is a whole
	// number of steps after its start. An instant query is of its end, and has no step.
	Start, End, Step int64
	// Scope separates cache entries of one expression. The cache keeps one past range of an expression, and those of several runs of a
	// training would replace each other.
	Scope string
	// Partial allows a result without the steps of a source that is down. A warning says which are missing.
	Partial bool
	// Part is set in a query for a part of a range, and counts the samples of all parts: the limits apply to them together.
	Part *atomic.Int64
}

// At is the instant query at a time.
func (q Query) At(at time.Time) Query {
	q.Start, q.End, q.Step = at.UnixMilli(), at.UnixMilli(), 0
	return q
}

// Over is the range query from one time to another, both of which are multiples of the step.
func (q Query) Over(start, end time.Time, step time.Duration) Query {
	q.Start, q.End, q.Step = start.UnixMilli(), end.UnixMilli(), step.Milliseconds()
	return q
}

// Between is the query of another range.
func (q Query) Between(start, end int64) Query {
	q.Start, q.End = start, end
	return q
}

// Steps is the number of steps of a range, and 1 of an instant query.
func (q Query) Steps() int {
	if q.Step == 0 || q.End < q.Start {
		return 1
	}
	return int((q.End-q.Start)/q.Step) + 1
}

// ListQuery is a request for a list: of label names, of the values of a label, or of series.
type ListQuery struct {
	Label  string
	Series bool
	// Matches are selectors of series, any of which a listed one matches; none selects all.
	Matches []string
	// Start and End are the time of the series, if they are not zero.
	Start, End time.Time
	// Limit is the most elements of the list, if it is not 0.
	Limit int
}

// List is a list. Names or series are set. It is immutable, because all callers share it.
type List struct {
	Names           []string
	Series          []data.Labels
	Warnings, Infos []string
}

// First is the list with its first elements only, at most so many; 0 is all.
func (l *List) First(most int) *List {
	if most == 0 {
		return l
	}
	first := *l
	first.Names, first.Series = l.Names[:min(most, len(l.Names))], l.Series[:min(most, len(l.Series))]
	return &first
}

// Bytes estimates the memory of a list, which is more than its length as JSON.
func (l *List) Bytes() int {
	sum := 0
	for _, name := range l.Names {
		sum += 24 + len(name)
	}
	for _, labels := range l.Series {
		sum += series.LabelsBytes(labels)
		for name, value := range labels {
			sum += len(name) + len(value)
		}
	}
	return sum
}

const (
	// LookbackDelta is how far before a step Prometheus looks for the sample of an instant vector selector.
	LookbackDelta = 5 * time.Minute
	// MaxPoints is how many steps of a range query Prometheus returns at most, besides the first. It rejects longer ranges.
	MaxPoints = 11_000
)

var stages = promauto.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "gpucloud_promql_stage_duration_seconds",
	Help:    "Duration of the stages of PromQL queries, each with those after it: archive (which divides and joins), cache, endpoint; and frames, which makes them of a result. The source of cache and endpoint is platform or archive.",
	Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
}, []string{"stage", "source"})

// Stage measures a stage of a query, or of a list, until the returned function is called. source is empty for a stage of both sources.
// The metric counts for all data sources of the process.
func Stage(name, source string) (done func()) {
	start := time.Now()
	return func() { stages.WithLabelValues(name, source).Observe(time.Since(start).Seconds()) }
}
