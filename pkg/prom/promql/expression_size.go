// cspell:ignore PDSW

package promql

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/strutil"
)

// Bounds of expressions.
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
	// maxRegexpCost bounds the cost of compiling all regular expressions; see regexpCost.
	maxRegexpCost = 20_000
)

// BoundError is the error of an expression over a bound. Its reason has no subject: "has 9000 bytes, and …".
type BoundError struct{ Reason string }

func (e *BoundError) Error() string { return "the expression " + e.Reason }

var errLargeRegexps = &BoundError{"has regular expressions that are too large"}

// scan checks an expression by its tokens, and returns the cost of compiling its string literals as regular expressions. Its
// error is a *BoundError. It ends where the parser does: at a token that is none.
func scan(expr string) (cost int, err error) {
	if len(expr) > maxLength {
		return 0, &BoundError{fmt.Sprintf("has %d bytes, and the limit is %d", len(expr), maxLength)}
	}
	var depth, braces, operators, ranges int
	var token parser.Item
	for lexer := parser.Lex(expr); ; {
		switch lexer.NextItem(&token); token.Typ {
		case parser.EOF, parser.ERROR:
			return cost, nil
		case parser.STRING:
			cost += regexpCost(unquoted(token.Val))
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
			return 0, &BoundError{fmt.Sprintf("is nested deeper than %d levels", maxDepth)}
		case operators > maxOperators, ranges > maxOperators+1:
			return 0, &BoundError{fmt.Sprintf("has more than %d operators", maxOperators)}
		case cost > maxRegexpCost:
			return 0, errLargeRegexps
		}
	}
}

// CheckRegexps returns a *BoundError if the regular expressions of label matchers are over the bound.
func CheckRegexps(patterns ...string) error {
	cost := 0
	for _, pattern := range patterns {
		if cost += regexpCost(pattern); cost > maxRegexpCost {
			return errLargeRegexps
		}
	}
	return nil
}

// unquoted is the value of a string literal, or the literal itself if the parser would reject it.
func unquoted(literal string) string {
	if text, err := strutil.Unquote(literal); err == nil {
		return text
	}
	return literal
}

// The cost of parsing and compiling parts of a regular expression. A plain character costs 1, which is about a microsecond.
const (
	// anyRegexp is the cost of the smallest one.
	anyRegexp = 5
	// unicodeClass is the cost of \pC, which Go makes of all characters that are in no other class. Others cost a tenth.
	unicodeClass = 3000
	// foldedRange is the cost of a range beyond ASCII in a case-insensitive expression: each of its characters is folded.
	foldedRange = 8000
)

// regexpCost is an upper bound of the cost of compiling a regular expression. Go's parser does not expand repeats, so it is called
// to see what they multiply, but only if parsing itself is within the bound.
func regexpCost(pattern string) int {
	cost := parsingCost(pattern)
	if cost > maxRegexpCost || !strings.Contains(pattern, "{") {
		return cost
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return cost // nobody compiles it
	}
	return cost + compilingCost(parsed)
}

// foldedFlag matches flags with an i, such as (?i) or (?s-mi:…).
var foldedFlag = regexp.MustCompile(`\(\?[a-zA-Z-]*i`)

// classes matches character classes such as [^]a-z[:digit:]\]], and escapes.
var classes = regexp.MustCompile(`(?s)\[\^?\]?(?:\\.|\[:\w*:\]|[^\]\\])*\]?|\\.`)

func parsingCost(pattern string) int {
	cost := anyRegexp + len(pattern)
	folded := foldedFlag.MatchString(pattern)
	for _, class := range classes.FindAllString(pattern, -1) {
		cost += unicodeClass * (strings.Count(class, `\p`) + strings.Count(class, `\P`))
		if folded && beyondASCII(class) {
			cost += foldedRange * (1 + strings.Count(class, "-") + strings.Count(class, `\`))
		}
	}
	return cost
}

// beyondASCII reports whether a class or an escape may have characters beyond ASCII.
func beyondASCII(class string) bool {
	if class[0] == '\\' {
		return strings.ContainsAny(class, "pPDSW")
	}
	return strings.ContainsAny(class, `^\`) || strings.IndexFunc(class, func(r rune) bool { return r > unicode.MaxASCII }) >= 0
}

// compilingCost is the number of instructions of an expression, about: a{3} is compiled as aaa.
func compilingCost(r *syntax.Regexp) int {
	cost := 1
	if r.Op == syntax.OpLiteral {
		cost = len(r.Rune)
	}
	for _, part := range r.Sub {
		cost += compilingCost(part)
	}
	if r.Op == syntax.OpRepeat {
		cost *= max(r.Min, r.Max, 1)
	}
	return cost
}
