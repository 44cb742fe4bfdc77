package platform

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ohler55/ojg/jp"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

var (
	// errNotApplicable is the error of a JSONPath that can't be evaluated on a response.
	errNotApplicable = errors.New("the JSONPath can't be applied to the response")
	// errNotJSONPath is the error of a text that is not a JSONPath.
	errNotJSONPath = errors.New("not a JSONPath")
)

// unsupportedPath is the error of a JSONPath that this data source doesn't evaluate. It completes a sentence.
type unsupportedPath string

func (e unsupportedPath) Error() string { return string(e) }

const (
	noUnions          = unsupportedPath("unions, such as ['a','b'], are not supported. Choose one member, or a wildcard: [*].")
	noDescent         = unsupportedPath("descent, such as $..name, is not supported. Write every member on the way, for example $.data.items.")
	noScripts         = unsupportedPath("scripts are not supported. Use names, indexes, slices, wildcards and one filter.")
	onlySimpleFilters = unsupportedPath("a filter compares members with ==, !=, <, <=, > or >=, and joins comparisons with &&, || and !, for example [?(@.size > 1)]. " +
		"Regular expressions, functions and filters within it are not supported.")
)

// jsonPath is a JSONPath of names, indexes, slices, wildcards and at most one filter. Each fragment matches values that are
// deeper than those before it, and each value once, so that an evaluation reads no value of a response twice.
type jsonPath []fragment

// fragment is a part of a JSONPath.
type fragment struct {
	jp.Frag
	// cost is the cost of a filter for each value that it is applied to, in values of the budget.
	cost int
}

// parseJSONPath parses a JSONPath. Its error is an unsupportedPath or errNotJSONPath.
func parseJSONPath(text string) (jsonPath, error) {
	if len(text) > maxTextBytes {
		return nil, unsupportedPath(tooLong("it is", len(text), maxTextBytes))
	}
	if hasRegexp(text) {
		return nil, onlySimpleFilters
	}
	parsed, err := jp.ParseString(text)
	if err != nil {
		return nil, errNotJSONPath
	}
	var path jsonPath
	filters := 0
	for _, frag := range parsed {
		cost := 0
		switch f := frag.(type) {
		case jp.Root, jp.At, jp.Bracket:
			continue
		case jp.Child, jp.Nth, jp.Slice, jp.Wildcard:
		case *jp.Filter:
			filters++
			if cost = filterCost(f); cost == notAllowed {
				return nil, onlySimpleFilters
			}
		case jp.Union:
			return nil, noUnions
		case jp.Descent:
			return nil, noDescent
		default:
			return nil, noScripts
		}
		path = append(path, fragment{frag, cost})
	}
	if filters > 1 {
		return nil, unsupportedPath(fmt.Sprintf("it has %d filters, and the limit is 1.", filters))
	}
	return path, nil
}

var quoted = regexp.MustCompile(`'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"`)

// hasRegexp reports a filter with a slash outside of quotes. It runs before the parser, which would compile a large
// regular expression.
func hasRegexp(text string) bool {
	return strings.Contains(text, "?") && strings.Contains(quoted.ReplaceAllString(text, ""), "/")
}

const (
	// notAllowed is the cost of a filter whose cost depends on the content of members and not only on their number.
	notAllowed = -1
	// libraryCost is the cost of a call of the library, in values of the budget.
	libraryCost = 25
)

// filterCost is the cost of a filter for each value that it is applied to, in values of the budget, or notAllowed.
func filterCost(f *jp.Filter) (cost int) {
	defer func() {
		if recover() == nil {
			return
		}
		// Inspect panics on a filter that is a single operand, such as [?@.name].
		operand, err := jp.ParseString(strings.TrimSuffix(strings.TrimPrefix(f.String(), "[?("), ")]"))
		if cost = operandCost(operand); err != nil {
			cost = notAllowed
		}
	}()
	return operandCost(f.Inspect())
}

func operandCost(operand any) int {
	switch o := operand.(type) {
	case *jp.Form:
		switch o.Op {
		case "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "(", "in", "has", "exists", "empty":
			left, right := operandCost(o.Left), operandCost(o.Right)
			if left != notAllowed && right != notAllowed {
				return 1 + left + right
			}
		}
		return notAllowed
	case jp.Expr:
		if len(o) == 0 || o[0] != jp.At('@') {
			return notAllowed
		}
		for _, frag := range o[1:] {
			switch frag.(type) {
			case jp.Child, jp.Nth, jp.Bracket:
			default:
				return notAllowed
			}
		}
		if len(o) > 2 {
			return libraryCost
		}
		if _, isName := o[len(o)-1].(jp.Child); !isName {
			return libraryCost
		}
		return 3 // a single name needs no recursive call of the library
	case []any:
		if slices.ContainsFunc(o, func(entry any) bool { return operandCost(entry) == notAllowed }) {
			return notAllowed
		}
		return 1 + len(o)
	case nil, bool, int64, float64, string:
		return 1
	}
	if operand == jp.Nothing {
		return 1
	}
	return notAllowed
}

// pathError makes an error of parseJSONPath a *query.Error. malformed is the message for a text that is not a JSONPath.
func pathError(field string, err error, malformed string) error {
	var known unsupportedPath
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return &query.Error{Field: field, Message: known.Error()}
	}
	return &query.Error{Field: field, Message: malformed}
}

// all are the matches in a parsed response. Its error is errNotApplicable, the context's, or a *query.Error of the budget.
func (p jsonPath) all(response any, b *budget) (matches []any, err error) {
	_, err = p.visit(response, b, func(match any) bool {
		matches = append(matches, match)
		return true
	})
	return matches, err
}

// first is the first match, or nil. Its errors are those of all.
func (p jsonPath) first(item any, b *budget) (found any, err error) {
	if len(p) == 0 {
		return item, nil
	}
	_, err = p.visit(item, b, func(match any) bool {
		found = match
		return false
	})
	return found, err
}

// visit yields the matches below a value in order until yield returns false.
func (p jsonPath) visit(value any, b *budget, yield func(any) bool) (more bool, err error) {
	if len(p) == 0 {
		return yield(value), nil
	}
	found, err := p[0].apply(value, b)
	if err != nil {
		return false, err
	}
	for _, match := range found {
		if err := b.spend(1); err != nil {
			return false, err
		}
		if len(p) == 1 {
			if !yield(match) {
				return false, nil
			}
			continue
		}
		if !hasMembers(match) {
			continue
		}
		if more, err := p[1:].visit(match, b, yield); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

func hasMembers(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// apply are the matches of a fragment in one value. The library panics if, for example, a filter is applied to null. A user
// can't prevent that by the path, because it depends on the response, so it is errNotApplicable.
func (f fragment) apply(value any, b *budget) (found []any, err error) {
	object, isObject := value.(map[string]any)
	switch frag := f.Frag.(type) {
	case jp.Child:
		if member, ok := object[string(frag)]; ok {
			found = []any{member}
		}
		return found, nil
	case jp.Wildcard, *jp.Filter:
		// The library visits members in random order.
		if isObject {
			value = membersByName(object)
		}
	}
	list, isList := value.([]any)
	if isList && f.Frag == jp.Wildcard('*') {
		return list, nil
	}
	if err := b.spend(libraryCost + len(list)*f.cost); err != nil {
		return nil, err
	}
	defer func() {
		if recover() != nil {
			found, err = nil, errNotApplicable
		}
	}()
	return jp.Expr{f.Frag}.Get(value), nil
}

func membersByName(object map[string]any) []any {
	members := make([]any, 0, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		members = append(members, object[name])
	}
	return members
}
