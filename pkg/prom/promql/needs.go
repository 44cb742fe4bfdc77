package promql

import (
	"time"

	"github.com/prometheus/prometheus/promql/parser"
)

// Needs are the samples that an expression needs for its value at a step. They say which results can be reused, and whether the
// archive has to evaluate the step.
type Needs struct {
	// PromQL reports that the expression is PromQL without experimental features. Nothing is known about other expressions,
	// not even that they return the same result twice.
	PromQL bool
	// PerStep reports that the value at a step depends on nothing but samples up to that step: not on the range of the query
	// (@ start(), @ end()), not on a fixed time (@ 1609746000), not on later samples (offset -5m).
	PerStep bool
	// Vector reports that the result at one time is a vector or a scalar, and depends only on samples around that time, from
	// Lookback before it to Ahead after it, and in the same way around the fixed times of selectors with @, in milliseconds.
	Vector bool
	Ahead  time.Duration
	Fixed  []int64
	// AtStart and AtEnd report that the value at a step depends on the samples around the start, or the end, of the query.
	AtStart, AtEnd bool
	// Lookback is how far before a step the expression needs samples, and Window is the length of the time with these samples,
	// which an offset moves. Both are 0 for an expression without selectors.
	Lookback, Window time.Duration
}

func needsOf(parsed parser.Expr) Needs {
	kind := parsed.Type()
	vector := kind == parser.ValueTypeVector || kind == parser.ValueTypeScalar
	c := Needs{PromQL: true, PerStep: vector, Vector: vector}
	moved := func(timestamp *int64, bound parser.ItemType, offset time.Duration) {
		if timestamp != nil {
			c.Fixed = append(c.Fixed, *timestamp)
		}
		c.Ahead += max(0, -offset)
		c.AtStart, c.AtEnd = c.AtStart || bound == parser.START, c.AtEnd || bound == parser.END
		c.PerStep = c.PerStep && timestamp == nil && bound == 0 && offset >= 0
	}
	parser.Inspect(parsed, func(node parser.Node, path []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			moved(node.Timestamp, node.StartOrEnd, node.OriginalOffset)
			ranges, offsets := rangesOf(path)
			c.Lookback = max(c.Lookback, LookbackDelta+ranges+node.OriginalOffset+offsets)
			c.Window = max(c.Window, LookbackDelta+ranges)
		case *parser.SubqueryExpr:
			moved(node.Timestamp, node.StartOrEnd, node.OriginalOffset)
		}
		return nil
	})
	return c
}

// rangesOf adds up the ranges, and the offsets, of the range vectors and subqueries around a selector.
func rangesOf(path []parser.Node) (ranges, offsets time.Duration) {
	for _, node := range path {
		switch node := node.(type) {
		case *parser.MatrixSelector:
			ranges += node.Range
		case *parser.SubqueryExpr:
			ranges += node.Range + node.Step
			offsets += node.OriginalOffset
		}
	}
	return ranges, offsets
}
