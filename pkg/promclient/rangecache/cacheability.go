package rangecache

import (
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promql"
)

// Cacheability says which results of an expression can be reused.
type Cacheability struct {
	// PromQL reports that the expression is PromQL without experimental features. Nothing is known about other expressions,
	// not even that they return the same result twice.
	PromQL bool
	// PerStep reports that the value at a step depends on nothing but samples up to that step: not on the range of the query
	// (@ start(), @ end()), not on a fixed time (@ 1609746000), not on later samples (offset -5m).
	PerStep bool
	// Lookback is how far before a step the expression needs samples.
	Lookback time.Duration
}

// Analyze determines the cacheability of an expression. That takes some microseconds, so it is done for each query.
//
// An expression that is not plain PromQL may be a function of another query language, such as running_sum() or rand() of
// MetricsQL, that depends on more than the samples before a step. Or it exceeds a bound of package promql.
func Analyze(expr string) Cacheability {
	parsed, err := promql.ParsePlain(expr)
	if err != nil {
		return Cacheability{}
	}
	c := Cacheability{PromQL: true}
	if kind := parsed.Type(); kind != parser.ValueTypeVector && kind != parser.ValueTypeScalar {
		return c
	}
	c.PerStep = true
	parser.Inspect(parsed, func(node parser.Node, path []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			if node.Timestamp != nil || node.StartOrEnd != 0 || node.OriginalOffset < 0 {
				c.PerStep = false
			}
			c.Lookback = max(c.Lookback, promql.LookbackDelta+node.OriginalOffset+rangesOf(path))
		case *parser.SubqueryExpr:
			if node.Timestamp != nil || node.StartOrEnd != 0 || node.OriginalOffset < 0 {
				c.PerStep = false
			}
		}
		return nil
	})
	return c
}

// rangesOf adds up the ranges and offsets of the range vectors and subqueries around a selector.
func rangesOf(path []parser.Node) time.Duration {
	var sum time.Duration
	for _, node := range path {
		switch node := node.(type) {
		case *parser.MatrixSelector:
			sum += node.Range
		case *parser.SubqueryExpr:
			sum += node.Range + node.OriginalOffset + node.Step
		}
	}
	return sum
}
