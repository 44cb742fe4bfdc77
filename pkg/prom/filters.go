package prom

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// Bounds of the filters of one query.
const (
	// maxFilters bounds the number of ad hoc filters, filters of scopes and labels to group by.
	maxFilters = 100
	// maxFilteredExpr bounds the length of the expression with filters.
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

// kinds are the types of matchers of the operators.
var kinds = map[string]labels.MatchType{
	"equals": labels.MatchEqual, "not-equals": labels.MatchNotEqual,
	"regex-match": labels.MatchRegexp, "one-of": labels.MatchRegexp,
	"regex-not-match": labels.MatchNotRegexp, "not-one-of": labels.MatchNotRegexp,
}

// condition is a matcher before it is compiled. It combines one or more filters.
type condition struct {
	kind       labels.MatchType
	key, value string
}

func (f labelFilter) condition() (condition, error) {
	kind, known := kinds[f.Operator]
	switch {
	case f.Key == "":
		return condition{}, filterError("it names no label.")
	case !known:
		return condition{}, filterError("the operator " + f.Operator + " is not known.")
	}
	c := condition{kind, f.Key, f.Value}
	if isList := strings.HasSuffix(f.Operator, "one-of"); isList && len(f.Values) > 0 {
		quoted := make([]string, len(f.Values))
		for i, value := range f.Values {
			quoted[i] = regexp.QuoteMeta(value)
		}
		c.value = strings.Join(quoted, "|")
	}
	return c, nil
}

func (c condition) isRegexp() bool {
	return c.kind == labels.MatchRegexp || c.kind == labels.MatchNotRegexp
}

func (c condition) excludes() bool {
	return c.kind == labels.MatchNotEqual || c.kind == labels.MatchNotRegexp
}

// pattern is the value as a regular expression.
func (c condition) pattern() string {
	if c.isRegexp() {
		return c.value
	}
	return regexp.QuoteMeta(c.value)
}

// or combines two conditions that both include, or both exclude, values.
func (c condition) or(other condition) condition {
	kind := labels.MatchRegexp
	if c.excludes() {
		kind = labels.MatchNotRegexp
	}
	return condition{kind, c.key, c.pattern() + "|" + other.pattern()}
}

func filterError(message string) error { return &query.Error{Field: "Filter", Message: message} }

// Filters are the scopes, ad hoc filters and labels to group by of a saved query.
type Filters struct {
	Scopes       []scope       `json:"scopes"`
	AdhocFilters []labelFilter `json:"adhocFilters"`
	GroupByKeys  []string      `json:"groupByKeys"`
}

type scope struct {
	Filters []labelFilter `json:"filters"`
}

// Apply adds the filters to every selector of a PromQL expression, and the labels to group by to every aggregation. A filter
// replaces the matchers of the selector with the same label, except the metric name.
//
// Errors are *query.Error.
func (f Filters) Apply(expr string) (string, error) { return f.text(expr, withMatchers) }

// Narrow is like [Filters.Apply], but keeps the matchers of the selectors.
func (f Filters) Narrow(expr string) (string, error) { return f.text(expr, narrowed) }

func (f Filters) text(expr string, combine func(own, matchers []*labels.Matcher) []*labels.Matcher) (string, error) {
	if f.empty() {
		return expr, nil
	}
	applied, err := f.query(expr, combine)
	return applied.Expr, err
}

func (f Filters) empty() bool {
	return len(f.ofScopes()) == 0 && len(f.AdhocFilters) == 0 && len(f.GroupByKeys) == 0
}

// ofScopes are the filters of all scopes.
func (f Filters) ofScopes() (all []labelFilter) {
	for _, scope := range f.Scopes {
		all = append(all, scope.Filters...)
	}
	return all
}

// conditions combines the filters of each label, as Grafana's Prometheus data source does: a label matches filters of several
// scopes if it matches any of them, and an ad hoc filter replaces all others of its label.
//
// One rule differs: several filters of scopes that exclude values exclude all of them. Grafana combines them into a filter that
// includes the values.
func (f Filters) conditions() ([]condition, error) {
	var all []condition
	for _, filter := range f.ofScopes() {
		c, err := filter.condition()
		if err != nil {
			return nil, err
		}
		same := slices.IndexFunc(all, func(other condition) bool { return other.key == c.key && other.excludes() == c.excludes() })
		if same < 0 {
			all = append(all, c)
		} else {
			all[same] = all[same].or(c)
		}
	}
	for _, filter := range f.AdhocFilters {
		c, err := filter.condition()
		if err != nil {
			return nil, err
		}
		all = append(slices.DeleteFunc(all, func(other condition) bool { return other.key == c.key }), c)
	}
	return all, nil
}

// Matchers are the filters as matchers. Errors are *query.Error.
func (f Filters) Matchers() ([]*labels.Matcher, error) {
	if count := len(f.ofScopes()) + len(f.AdhocFilters) + len(f.GroupByKeys); count > maxFilters {
		return nil, filterError(fmt.Sprintf("there are %d, and the limit is %d.", count, maxFilters))
	}
	conditions, err := f.conditions()
	if err != nil {
		return nil, err
	}
	var patterns []string
	for _, c := range conditions {
		if c.isRegexp() {
			patterns = append(patterns, c.value)
		}
	}
	if promql.CheckRegexps(patterns...) != nil {
		return nil, filterError("the patterns are too large to be used here.")
	}
	matchers := make([]*labels.Matcher, len(conditions))
	for i, c := range conditions {
		if matchers[i], err = labels.NewMatcher(c.kind, c.key, c.value); err != nil {
			return nil, filterError("the pattern for " + c.key + " is not a regular expression.")
		}
	}
	return matchers, nil
}

// query adds the filters to every selector of a PromQL expression, and the labels to group by to every aggregation. A matcher
// is added to those of a selector as combine says. The expression is parsed once for that and for what it needs. The error is a
// *query.Error.
func (f Filters) query(expr string, combine func(own, matchers []*labels.Matcher) []*labels.Matcher) (promql.Query, error) {
	q, parsed, parseErr := promql.Parse(expr)
	if f.empty() {
		return q, nil
	}
	matchers, err := f.Matchers()
	if err != nil {
		return promql.Query{}, err
	}
	if parseErr != nil {
		return promql.Query{}, unparsed(parseErr)
	}
	size := len(expr)
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			node.LabelMatchers = combine(node.LabelMatchers, matchers)
			for _, m := range matchers {
				size += len(m.Name) + len(m.Value)
			}
		case *parser.AggregateExpr:
			node.Grouping = grouping(node, f.GroupByKeys)
			for _, key := range f.GroupByKeys {
				size += len(key)
			}
		}
		return nil
	})
	if size > maxFilteredExpr {
		return promql.Query{}, filterError(fmt.Sprintf("with them the query has %d bytes, and the limit is %d.", size, maxFilteredExpr))
	}
	q.Expr = parsed.String()
	return q, nil
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
		return m.Name != metricName && slices.ContainsFunc(matchers, func(other *labels.Matcher) bool { return other.Name == m.Name })
	})
	return append(others, matchers...)
}

// grouping adds labels to those that an aggregation preserves. With "without", these are the labels that it does not list.
func grouping(node *parser.AggregateExpr, groupBy []string) []string {
	if node.Without {
		return slices.DeleteFunc(slices.Clone(node.Grouping), func(name string) bool { return slices.Contains(groupBy, name) })
	}
	all := slices.Clone(node.Grouping)
	for _, key := range groupBy {
		if !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	return all
}

// unparsed is the error of an expression that can't be parsed.
func unparsed(err error) *query.Error {
	var over *promql.BoundError
	if errors.As(err, &over) {
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
