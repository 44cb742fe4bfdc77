package promql

import (
	"fmt"

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

// Parse parses an expression, which may have experimental features, and analyzes it. The matchers of its selectors and the labels of its
// aggregations may change afterwards: the needs don't depend on them. Its error is a *[BoundError], or the parser's.
//
// An expression that is not plain PromQL may be a function of another query language, such as running_sum() or rand() of
// MetricsQL, that depends on more than the samples before a step: nothing is known of what it needs.
func Parse(expr string) (parser.Expr, Needs, error) {
	if _, err := scan(expr); err != nil {
		return nil, Needs{}, err
	}
	if parsed, err := plain.ParseExpr(expr); err == nil {
		return parsed, needsOf(parsed), nil
	}
	parsed, err := lenient.ParseExpr(expr)
	return parsed, Needs{}, err
}

// CheckSelectors checks the series selectors of one request. Its error is a *[BoundError], or the parser's.
func CheckSelectors(selectors []string) error {
	if len(selectors) > maxSelectors {
		return &BoundError{fmt.Sprintf("is one of %d, and the limit is %d", len(selectors), maxSelectors)}
	}
	cost := 0
	for _, selector := range selectors {
		regexps, err := scan(selector)
		if err != nil {
			return err
		}
		if cost += regexps; cost > maxRegexpCost {
			return errLargeRegexps
		}
	}
	for _, selector := range selectors {
		if _, err := lenient.ParseMetricSelector(selector); err != nil {
			return err
		}
	}
	return nil
}
