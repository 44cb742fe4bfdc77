package promql

import (
	"fmt"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/strutil"
)

const (
	// maxLength bounds the length in bytes.
	maxLength = 64 << 10
	// maxDepth bounds the nesting of brackets.
	maxDepth = 100
	// maxOperators bounds the arithmetic, comparison and set operators, each of which nests the expression before it. So do the
	// ranges of subqueries, of which there may be one for each operand.
	maxOperators = 250
	// maxSelectors bounds the selectors of one request.
	maxSelectors = 100
)

// BoundError is the error of an expression over a bound. Its reason has no subject: "has 9000 bytes, and …".
type BoundError struct{ Reason string }

func (e *BoundError) Error() string { return "the expression " + e.Reason }

// mark begins the value of a matcher with a regular expression while the expression is parsed.
const mark = "\x01"

// scan checks an expression by its tokens, and returns it with the regular expressions of its matchers as plain, marked values: the parser
// would compile them, which can take seconds and nobody here needs; see unmark. Its error is a *BoundError. It ends where the parser does:
// at a token that is none.
func scan(expr string) (marked string, err error) {
	if len(expr) > maxLength {
		return "", &BoundError{fmt.Sprintf("has %d bytes, and the limit is %d", len(expr), maxLength)}
	}
	var depth, braces, operators, ranges, copied int
	var text strings.Builder
	var token, last parser.Item
	for lexer := parser.Lex(expr); ; {
		if token.Typ != parser.COMMENT { // which may stand between an operator and its value
			last = token
		}
		switch lexer.NextItem(&token); token.Typ {
		case parser.EOF, parser.ERROR:
			if copied == 0 {
				return expr, nil
			}
			return text.String() + expr[copied:], nil
		case parser.STRING:
			if value, _ := strutil.Unquote(token.Val); strings.HasPrefix(value, mark) {
				return "", &BoundError{"has a text that begins with the character U+0001"}
			}
			if last.Typ == parser.EQL_REGEX || last.Typ == parser.NEQ_REGEX {
				text.WriteString(expr[copied:last.Pos])
				text.WriteString(map[parser.ItemType]string{parser.EQL_REGEX: "=", parser.NEQ_REGEX: "!="}[last.Typ])
				text.WriteString(token.Val[:1] + mark + token.Val[1:])
				copied = int(token.Pos) + len(token.Val)
			}
		case parser.LEFT_BRACE:
			braces++
			depth++
		case parser.LEFT_PAREN:
			depth++
		case parser.LEFT_BRACKET:
			depth++
			ranges++
		case parser.RIGHT_BRACE:
			braces--
			depth--
		case parser.RIGHT_PAREN, parser.RIGHT_BRACKET:
			depth--
		default:
			if token.Typ.IsOperator() && braces == 0 { // those in braces are of matchers
				operators++
			}
		}
		switch {
		case depth > maxDepth:
			return "", &BoundError{fmt.Sprintf("is nested deeper than %d levels", maxDepth)}
		case operators > maxOperators, ranges > maxOperators+1:
			return "", &BoundError{fmt.Sprintf("has more than %d operators", maxOperators)}
		}
	}
}

// unmark makes the marked matchers of an expression what they were. They can be written, but not matched.
func unmark(parsed parser.Expr) {
	kinds := map[labels.MatchType]labels.MatchType{labels.MatchEqual: labels.MatchRegexp, labels.MatchNotEqual: labels.MatchNotRegexp}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			for _, m := range selector.LabelMatchers {
				if value, marked := strings.CutPrefix(m.Value, mark); marked {
					m.Type, m.Value = kinds[m.Type], value
				}
			}
		}
		return nil
	})
}
