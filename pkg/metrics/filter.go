package metrics

import (
	"regexp"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// LabelFilter is an ad-hoc filter or a scope's filter, in the words of Grafana's API.
type LabelFilter struct {
	Key string `json:"key"`
	// Operator is equals, not-equals, regex-match, regex-not-match, one-of or not-one-of.
	Operator string   `json:"operator"`
	Value    string   `json:"value"`
	Values   []string `json:"values"`
}

func (f LabelFilter) matcher() (*labels.Matcher, error) {
	if f.Key == "" {
		return nil, &query.Error{Field: "Filter", Message: "it names no label."}
	}
	kind, value := labels.MatchEqual, f.Value
	switch f.Operator {
	case "equals":
	case "not-equals":
		kind = labels.MatchNotEqual
	case "regex-match":
		kind = labels.MatchRegexp
	case "regex-not-match":
		kind = labels.MatchNotRegexp
	case "one-of", "not-one-of":
		kind = labels.MatchRegexp
		if f.Operator == "not-one-of" {
			kind = labels.MatchNotRegexp
		}
		var quoted []string
		for _, v := range f.Values {
			quoted = append(quoted, regexp.QuoteMeta(v))
		}
		value = strings.Join(quoted, "|")
	default:
		return nil, &query.Error{Field: "Filter", Message: "the operator " + f.Operator + " is not known."}
	}
	m, err := labels.NewMatcher(kind, f.Key, value)
	if err != nil {
		return nil, &query.Error{Field: "Filter", Message: "the pattern for " + f.Key + " is not a regular expression."}
	}
	return m, nil
}

// addFilters narrows every selector of a PromQL expression.
func addFilters(expr string, filters []LabelFilter) (string, error) {
	if len(filters) == 0 {
		return expr, nil
	}
	var matchers []*labels.Matcher
	for _, f := range filters {
		m, err := f.matcher()
		if err != nil {
			return "", err
		}
		matchers = append(matchers, m)
	}
	parsed, err := promQL.ParseExpr(expr)
	if err != nil {
		return "", &query.Error{Field: "PromQL", Message: err.Error()}
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			selector.LabelMatchers = append(selector.LabelMatchers, matchers...)
		}
		return nil
	})
	return parsed.String(), nil
}

// selectors lists the series selectors of a PromQL expression, without their ranges and offsets.
func selectors(expr string) ([]string, error) {
	parsed, err := promQL.ParseExpr(expr)
	if err != nil {
		return nil, &query.Error{Field: "PromQL", Message: err.Error()}
	}
	var found []string
	for _, matchers := range parser.ExtractSelectors(parsed) {
		found = append(found, selector(matchers))
	}
	return found, nil
}

func selector(matchers []*labels.Matcher) string {
	return (&parser.VectorSelector{LabelMatchers: matchers}).String()
}
