package promclient

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// Bounds of what narrows one query.
const (
	// maxFilters is how many ad-hoc filters, filters of scopes and labels to group by there may be together.
	maxFilters = 100
	// maxFilterBytes is how long their texts may be together. A filter is written into each selector.
	maxFilterBytes = 16 << 10
	// maxNarrowed is how long an expression may become.
	maxNarrowed = 256 << 10
)

// LabelFilter is an ad-hoc filter or a scope's filter, in the words of Grafana's API.
type LabelFilter struct {
	Key string `json:"key"`
	// Operator is equals, not-equals, regex-match, regex-not-match, one-of or not-one-of.
	Operator string   `json:"operator"`
	Value    string   `json:"value"`
	Values   []string `json:"values"`
}

// pattern is what the label must match, or must not, as a regular expression.
func (f LabelFilter) pattern() string {
	switch {
	case f.Operator == "equals" || f.Operator == "not-equals":
		return regexp.QuoteMeta(f.Value)
	case f.isList() && len(f.Values) > 0:
		quoted := make([]string, len(f.Values))
		for i, value := range f.Values {
			quoted[i] = regexp.QuoteMeta(value)
		}
		return strings.Join(quoted, "|")
	}
	return f.Value
}

func (f LabelFilter) isList() bool { return f.Operator == "one-of" || f.Operator == "not-one-of" }

// kind is the type of matcher that the operator stands for.
func (f LabelFilter) kind() (labels.MatchType, bool) {
	switch f.Operator {
	case "equals":
		return labels.MatchEqual, true
	case "not-equals":
		return labels.MatchNotEqual, true
	case "regex-match", "one-of":
		return labels.MatchRegexp, true
	case "regex-not-match", "not-one-of":
		return labels.MatchNotRegexp, true
	}
	return 0, false
}

// condition is what a label must fulfill. Several filters may make one.
type condition struct {
	kind  labels.MatchType
	key   string
	value string
	// pattern is the value as a regular expression.
	pattern string
}

func (f LabelFilter) condition() (condition, error) {
	kind, known := f.kind()
	switch {
	case f.Key == "":
		return condition{}, filterError("it names no label.")
	case !known:
		return condition{}, filterError("the operator " + f.Operator + " is not known.")
	}
	c := condition{kind, f.Key, f.Value, f.pattern()}
	if c.isRegexp() {
		c.value = c.pattern
	}
	return c, nil
}

func (c condition) isRegexp() bool {
	return c.kind == labels.MatchRegexp || c.kind == labels.MatchNotRegexp
}

func (c condition) excludes() bool {
	return c.kind == labels.MatchNotEqual || c.kind == labels.MatchNotRegexp
}

// or lets through, or excludes, what another condition does too.
func (c condition) or(other condition) condition {
	c.kind = labels.MatchRegexp
	if other.excludes() {
		c.kind = labels.MatchNotRegexp
	}
	c.pattern += "|" + other.pattern
	c.value = c.pattern
	return c
}

func filterError(message string) error { return &query.Error{Field: "Filter", Message: message} }

// narrowing is what scopes and ad-hoc filters change in an expression.
type narrowing struct {
	scopes, adhoc []LabelFilter
	groupBy       []string
}

func (n narrowing) empty() bool {
	return len(n.scopes) == 0 && len(n.adhoc) == 0 && len(n.groupBy) == 0
}

// bounded refuses what would cost too much. Its error is a *query.Error.
func (n narrowing) bounded() error {
	if count := len(n.scopes) + len(n.adhoc) + len(n.groupBy); count > maxFilters {
		return filterError(fmt.Sprintf("there are %d, and the limit is %d.", count, maxFilters))
	}
	size := 0
	for _, f := range slices.Concat(n.scopes, n.adhoc) {
		size += len(f.Key) + len(f.Value)
		for _, value := range f.Values {
			size += len(value) + 1
		}
	}
	for _, key := range n.groupBy {
		size += len(key)
	}
	if size > maxFilterBytes {
		return filterError(fmt.Sprintf("together they have %d bytes, and the limit is %d.", size, maxFilterBytes))
	}
	return nil
}

// conditions are one for each label, as in Grafana's Prometheus data source: filters of several scopes with the same label let
// through what any of them does, and an ad-hoc filter takes the place of all others with its label.
//
// One rule differs: filters of scopes that exclude values all do so. Grafana would turn them into one that demands the values.
func (n narrowing) conditions() ([]condition, error) {
	var all []condition
	for _, f := range n.scopes {
		c, err := f.condition()
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
	for _, f := range n.adhoc {
		c, err := f.condition()
		if err != nil {
			return nil, err
		}
		all = append(slices.DeleteFunc(all, func(other condition) bool { return other.key == c.key }), c)
	}
	return all, nil
}

// matchers are the conditions in PromQL. Their errors are a *query.Error.
func (n narrowing) matchers() ([]*labels.Matcher, error) {
	if err := n.bounded(); err != nil {
		return nil, err
	}
	conditions, err := n.conditions()
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

// apply narrows every selector of a PromQL expression, and adds the labels to group by to every aggregation. A matcher takes
// the place of the selector's own with its label, but for the metric's name. Its error is a *query.Error.
func (n narrowing) apply(expr string) (string, error) {
	if n.empty() {
		return expr, nil
	}
	matchers, err := n.matchers()
	if err != nil {
		return "", err
	}
	parsed, err := parse(expr)
	if err != nil {
		return "", err
	}
	size := len(expr)
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			node.LabelMatchers = narrowed(node.LabelMatchers, matchers)
			for _, m := range matchers {
				size += len(m.Name) + len(m.Value)
			}
		case *parser.AggregateExpr:
			node.Grouping = grouping(node, n.groupBy)
			for _, key := range n.groupBy {
				size += len(key)
			}
		}
		return nil
	})
	if size > maxNarrowed {
		return "", filterError(fmt.Sprintf("with them the query has %d bytes, and the limit is %d.", size, maxNarrowed))
	}
	return parsed.String(), nil
}

func narrowed(own, matchers []*labels.Matcher) []*labels.Matcher {
	kept := slices.DeleteFunc(slices.Clone(own), func(m *labels.Matcher) bool {
		return m.Name != metricName && slices.ContainsFunc(matchers, func(other *labels.Matcher) bool { return other.Name == m.Name })
	})
	return append(kept, matchers...)
}

// grouping adds labels to those that an aggregation keeps. With "without", these are the ones that it does not list.
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

// parse reads an expression that has to be changed. Its error is a *query.Error.
func parse(expr string) (parser.Expr, error) {
	parsed, err := promql.Parse(expr)
	var over *promql.BoundError
	switch {
	case errors.As(err, &over):
		return nil, &query.Error{Field: "PromQL", Message: "filters, scopes and suggestions can't be used with this query: it " + over.Reason + "."}
	case err != nil:
		return nil, &query.Error{Field: "PromQL", Message: err.Error()}
	}
	return parsed, nil
}

func selector(matchers []*labels.Matcher) string {
	return (&parser.VectorSelector{LabelMatchers: matchers}).String()
}
