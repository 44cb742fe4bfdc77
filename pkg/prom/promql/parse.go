package promql

import (
	"fmt"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
)

// lenient parses all features that a Prometheus server may have enabled. The platform's engine decides whether it runs them.
var lenient = parser.NewParser(parser.Options{
	EnableExperimentalFunctions:  true,
	ExperimentalDurationExpr:     true,
	EnableExtendedRangeSelectors: true,
	EnableBinopFillModifiers:     true,
})

// plain parses PromQL without experimental features.
var plain = parser.NewParser(parser.Options{})

// New is the query of an expression, at no time yet, with what it needs.
//
// An expression that is not plain PromQL may be a function of another query language, such as running_sum() or rand() of
// MetricsQL, that depends on more than the samples before a step: nothing is known of what it needs.
func New(expr string) Query {
	q := Query{Expr: expr}
	marked, err := scan(expr)
	if err != nil {
		return q
	}
	if parsed, err := plain.ParseExpr(marked); err == nil {
		q.Needs = needsOf(parsed)
	}
	return q
}

// Parse parses an expression, which may have experimental features. Its error is a *[BoundError], or the parser's.
func Parse(expr string) (parser.Expr, error) {
	marked, err := scan(expr)
	if err != nil {
		return nil, err
	}
	parsed, err := lenient.ParseExpr(marked)
	if err != nil {
		return nil, err
	}
	unmark(parsed)
	return parsed, nil
}

// CheckSelectors checks the series selectors of one request. Its error is a *[BoundError], or the parser's.
func CheckSelectors(selectors []string) error {
	if len(selectors) > maxSelectors {
		return &BoundError{fmt.Sprintf("is one of %d, and the limit is %d", len(selectors), maxSelectors)}
	}
	for _, selector := range selectors {
		marked, err := scan(selector)
		if err == nil {
			_, err = lenient.ParseMetricSelector(marked)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Needs are the samples that an expression needs for its value at a step. They say which results can be reused, and whether the
// archive has to evaluate the step.
type Needs struct {
	// PromQL reports that the expression is PromQL without experimental features. Nothing is known about other expressions,
	// not even that they return the same result twice.
	PromQL bool
	// PerStep reports that the value at a step depends on nothing but samples up to that step: not on the range of the query
	// (@ start(), @ end()), not on a fixed time (@ 1609746000), not on later samples (offset -5m).
	PerStep bool
	// Fixed are the times of selectors with @, in milliseconds, around which the value at each step needs samples.
	Fixed []int64
	// AtStart and AtEnd report that the value at a step depends on the samples around the start, or the end, of the query.
	AtStart, AtEnd bool
	// Lookback is how far before a step the expression needs samples, and Window is the length of the time with these samples,
	// which an offset moves. Both are 0 for an expression without selectors.
	Lookback, Window time.Duration
}

func needsOf(parsed parser.Expr) Needs {
	kind := parsed.Type()
	c := Needs{PromQL: true, PerStep: kind == parser.ValueTypeVector || kind == parser.ValueTypeScalar}
	moved := func(timestamp *int64, bound parser.ItemType, offset time.Duration) {
		if timestamp != nil {
			c.Fixed = append(c.Fixed, *timestamp)
		}
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
