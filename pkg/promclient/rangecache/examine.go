package rangecache

import (
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promql"
)

// lookback is how far before a step Prometheus looks for a sample of a plain selector.
const lookback = 5 * time.Minute

// Nature is what the cache has to know of an expression.
type Nature struct {
	// Known tells that it is plain PromQL. Of others nothing is known, not even that they give the same twice.
	Known bool
	// Stepwise tells that the value at a step depends on nothing but samples up to that step: not on the range that is asked
	// for (@ start(), @ end()), not on a fixed time (@ 1609746000), not on the future (offset -5m).
	Stepwise bool
	// Reach is how far back from a step samples are needed.
	Reach time.Duration
}

// Examine reads an expression. It takes some microseconds, so what it finds is not kept. What does not parse as plain PromQL
// may be a function of another query language, such as MetricsQL's running_sum() or rand(), that depends on more than the
// samples before a step; or it is over a bound of package promql.
func Examine(expr string) Nature {
	parsed, err := promql.ParsePlain(expr)
	if err != nil {
		return Nature{}
	}
	n := Nature{Known: true}
	if kind := parsed.Type(); kind != parser.ValueTypeVector && kind != parser.ValueTypeScalar {
		return n
	}
	n.Stepwise = true
	parser.Inspect(parsed, func(node parser.Node, path []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			if node.Timestamp != nil || node.StartOrEnd != 0 || node.OriginalOffset < 0 {
				n.Stepwise = false
			}
			n.Reach = max(n.Reach, lookback+node.OriginalOffset+windows(path))
		case *parser.SubqueryExpr:
			if node.Timestamp != nil || node.StartOrEnd != 0 || node.OriginalOffset < 0 {
				n.Stepwise = false
			}
		}
		return nil
	})
	return n
}

// windows adds up the ranges and offsets around a selector.
func windows(path []parser.Node) time.Duration {
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
