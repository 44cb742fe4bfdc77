package promql

import (
	"fmt"

	"github.com/prometheus/prometheus/model/labels"
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

// Parse parses an expression, which may have experimental features. Its error is a *[BoundError], or the parser's.
func Parse(expr string) (parser.Expr, error) { return parse(lenient, expr) }

// ParsePlain parses an expression without experimental features; see [Parse].
func ParsePlain(expr string) (parser.Expr, error) { return parse(plain, expr) }

// Read is [Parse] and [Analyze] in one, which parses an expression without experimental features once. The matchers of its selectors
// and the labels of its aggregations may change afterwards: the needs don't depend on them.
func Read(expr string) (parser.Expr, Needs, error) {
	if parsed, err := ParsePlain(expr); err == nil {
		return parsed, needsOf(parsed), nil
	}
	parsed, err := Parse(expr)
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

func parse(p parser.Parser, expr string) (parser.Expr, error) {
	if _, err := scan(expr); err != nil {
		return nil, err
	}
	return p.ParseExpr(expr)
}

// Selector is the text of a series selector.
func Selector(matchers []*labels.Matcher) string {
	return (&parser.VectorSelector{LabelMatchers: matchers}).String()
}
