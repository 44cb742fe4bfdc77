package promql

import (
	"fmt"

	"github.com/prometheus/prometheus/promql/parser"
)

// lenient reads everything a Prometheus may have switched on: whether the platform's engine runs it is the engine's to say.
var lenient = parser.NewParser(parser.Options{
	EnableExperimentalFunctions:  true,
	ExperimentalDurationExpr:     true,
	EnableExtendedRangeSelectors: true,
	EnableBinopFillModifiers:     true,
})

// plain reads PromQL as Prometheus has it without experiments.
var plain = parser.NewParser(parser.Options{})

// Parse reads an expression, with all that a Prometheus may have switched on. Its error is a *[BoundError], or the parser's.
func Parse(expr string) (parser.Expr, error) { return parse(lenient, expr) }

// ParsePlain reads an expression of PromQL without experiments; see [Parse].
func ParsePlain(expr string) (parser.Expr, error) { return parse(plain, expr) }

// CheckSelectors reports whether texts are series selectors, of one request. Its error is a *[BoundError], or the parser's.
func CheckSelectors(selectors []string) error {
	if len(selectors) > MaxSelectors {
		return &BoundError{fmt.Sprintf("is one of %d, and the limit is %d", len(selectors), MaxSelectors)}
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
	if err := Check(expr); err != nil {
		return nil, err
	}
	return p.ParseExpr(expr)
}
