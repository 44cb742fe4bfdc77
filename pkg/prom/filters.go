package prom

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// maxFilters bounds the number of ad hoc filters and filters of scopes.
	maxFilters      = 100
	maxFilteredExpr = 256 << 10
)

// labelFilter is an ad hoc filter or a filter of a scope, in the JSON of Grafana's API.
type labelFilter struct {
	Key string `json:"key"`
	// Operator is equals, not-equals, regex-match, regex-not-match, one-of or not-one-of.
	Operator string   `json:"operator"`
	Value    string   `json:"value"`
	Values   []string `json:"values"`
}

var kinds = map[string]labels.MatchType{
	"equals": labels.MatchEqual, "not-equals": labels.MatchNotEqual,
	"regex-match": labels.MatchRegexp, "one-of": labels.MatchRegexp,
	"regex-not-match": labels.MatchNotRegexp, "not-one-of": labels.MatchNotRegexp,
}

// matcher is a filter as a matcher. Its regular expression is not compiled: the engine says if it is none.
func (f labelFilter) matcher() (*labels.Matcher, error) {
	kind, known := kinds[f.Operator]
	switch {
	case f.Key == "":
		return nil, filterError("it names no label.")
	case !known:
		return nil, filterError("the operator " + f.Operator + " is not known.")
	}
	m := &labels.Matcher{Type: kind, Name: f.Key, Value: f.Value}
	if isList := strings.HasSuffix(f.Operator, "one-of"); isList && len(f.Values) > 0 {
		m.Value = Alternatives(f.Values)
	}
	return m, nil
}

// Alternatives is the regular expression of some values.
func Alternatives(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = regexp.QuoteMeta(value)
	}
	return strings.Join(quoted, "|")
}

func excludes(m *labels.Matcher) bool {
	return m.Type == labels.MatchNotEqual || m.Type == labels.MatchNotRegexp
}

// pattern is the value of a matcher as a regular expression.
func pattern(m *labels.Matcher) string {
	if m.Type == labels.MatchRegexp || m.Type == labels.MatchNotRegexp {
		return m.Value
	}
	return regexp.QuoteMeta(m.Value)
}

func filterError(message string) error { return &query.Error{Field: "Filter", Message: message} }

// Filters are the scopes and ad hoc filters of a saved query.
type Filters struct {
	Scopes       []scope       `json:"scopes"`
	AdhocFilters []labelFilter `json:"adhocFilters"`
}

type scope struct {
	Filters []labelFilter `json:"filters"`
}

// Apply adds the filters to every selector of a PromQL expression. A filter replaces the matchers of the selector with the same label,
// except the metric name.
//
// Errors are *query.Error.
func (f Filters) Apply(expr string) (string, error) { return f.add(expr, withMatchers) }

// Narrow is like [Filters.Apply], but keeps the matchers of the selectors.
func (f Filters) Narrow(expr string) (string, error) { return f.add(expr, narrowed) }

// Matchers combines the filters of each label, as Grafana's Prometheus data source does: a label matches filters of several
// scopes if it matches any of them, and an ad hoc filter replaces all others of its label.
//
// One rule differs: several filters of scopes that exclude values exclude all of them. Grafana combines them into a filter that
// includes the values.
//
// Errors are *query.Error.
func (f Filters) Matchers() ([]*labels.Matcher, error) {
	var ofScopes []labelFilter
	for _, scope := range f.Scopes {
		ofScopes = append(ofScopes, scope.Filters...)
	}
	if count := len(ofScopes) + len(f.AdhocFilters); count > maxFilters {
		return nil, filterError(fmt.Sprintf("there are %d, and the limit is %d.", count, maxFilters))
	}
	var all []*labels.Matcher
	for _, filter := range ofScopes {
		m, err := filter.matcher()
		if err != nil {
			return nil, err
		}
		same := slices.IndexFunc(all, func(other *labels.Matcher) bool { return other.Name == m.Name && excludes(other) == excludes(m) })
		if same < 0 {
			all = append(all, m)
			continue
		}
		kind := labels.MatchRegexp
		if excludes(m) {
			kind = labels.MatchNotRegexp
		}
		all[same] = &labels.Matcher{Type: kind, Name: m.Name, Value: pattern(all[same]) + "|" + pattern(m)}
	}
	for _, filter := range f.AdhocFilters {
		m, err := filter.matcher()
		if err != nil {
			return nil, err
		}
		all = append(slices.DeleteFunc(all, func(other *labels.Matcher) bool { return other.Name == m.Name }), m)
	}
	return all, nil
}

type combination func(own, matchers []*labels.Matcher) []*labels.Matcher

func (f Filters) add(expr string, combine combination) (string, error) {
	matchers, err := f.Matchers()
	if err != nil || len(matchers) == 0 {
		return expr, err
	}
	parsed, err := promql.Parse(expr)
	if err != nil {
		return "", unparsed(err)
	}
	size := len(expr)
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			selector.LabelMatchers = combine(selector.LabelMatchers, matchers)
			for _, m := range matchers {
				size += len(m.Name) + len(m.Value)
			}
		}
		return nil
	})
	if size > maxFilteredExpr {
		return "", filterError(fmt.Sprintf("with them the query has %d bytes, and the limit is %d.", size, maxFilteredExpr))
	}
	return parsed.String(), nil
}

// narrowed adds the matchers that a selector does not have.
func narrowed(own, matchers []*labels.Matcher) []*labels.Matcher {
	others := slices.DeleteFunc(slices.Clone(matchers), func(m *labels.Matcher) bool {
		return slices.ContainsFunc(own, func(has *labels.Matcher) bool {
			return has.Type == m.Type && has.Name == m.Name && has.Value == m.Value
		})
	})
	return append(own, others...)
}

// withMatchers adds matchers to those of a selector, and removes those with the same labels.
func withMatchers(own, matchers []*labels.Matcher) []*labels.Matcher {
	others := slices.DeleteFunc(slices.Clone(own), func(m *labels.Matcher) bool {
		return m.Name != model.MetricNameLabel && slices.ContainsFunc(matchers, func(other *labels.Matcher) bool { return other.Name == m.Name })
	})
	return append(others, matchers...)
}

func unparsed(err error) *query.Error {
	if over, ok := errors.AsType[*promql.BoundError](err); ok {
		return &query.Error{Field: "PromQL", Message: "filters and scopes can't be used with this query: it " + over.Reason + "."}
	}
	return &query.Error{Field: "PromQL", Message: err.Error()}
}

// WithLabels adds a matcher for each label to each selector of an expression.
//
// Errors are *query.Error.
func WithLabels(expr string, labels map[string]string) (string, error) {
	var f Filters
	for _, name := range slices.Sorted(maps.Keys(labels)) { // the same text each time, for the cache
		f.AdhocFilters = append(f.AdhocFilters, labelFilter{Key: name, Operator: "equals", Value: labels[name]})
	}
	return f.Apply(expr)
}
