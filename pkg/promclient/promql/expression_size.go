package promql

import (
	"fmt"
	"strings"

	"github.com/prometheus/prometheus/util/strutil"
)

// Bounds of expressions.
const (
	// MaxLength bounds the length in bytes.
	MaxLength = 8 << 10
	// maxDepth bounds the nesting of brackets.
	maxDepth = 100
	// maxOperators bounds the arithmetic, comparison and set operators, each of which nests the expression before it.
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

// scan checks an expression in one pass, and returns the cost of compiling its string literals as regular expressions. Its
// error is a *BoundError.
func scan(expr string) (cost int, err error) {
	if len(expr) > MaxLength {
		return 0, &BoundError{fmt.Sprintf("has %d bytes, and the limit is %d", len(expr), MaxLength)}
	}
	var depth, braces, operators int
	for i := 0; i < len(expr); {
		length := 1
		switch c := expr[i]; {
		case c == '#':
			length = lineLength(expr[i:])
		case c == '"' || c == '\'' || c == '`':
			length = literalLength(expr[i:])
			cost += regexpCost(unquoted(expr[i : i+length]))
		case strings.IndexByte("([{", c) >= 0:
			depth++
			if c == '{' {
				braces++
			}
		case strings.IndexByte(")]}", c) >= 0:
			depth--
			if c == '}' {
				braces--
			}
		case isWord(c):
			length = wordLength(expr[i:])
			if isOperator(expr[i : i+length]) {
				operators++
			}
		case braces <= 0 && strings.IndexByte("+-*/%^=!<>", c) >= 0:
			operators++
		}
		switch {
		case depth > maxDepth:
			return 0, &BoundError{fmt.Sprintf("is nested deeper than %d levels", maxDepth)}
		case operators > maxOperators:
			return 0, &BoundError{fmt.Sprintf("has more than %d operators", maxOperators)}
		case cost > maxRegexpCost:
			return 0, errLargeRegexps
		}
		i += length
	}
	return cost, nil
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

// lineLength is the length of the rest of the line.
func lineLength(text string) int {
	if end := strings.IndexAny(text, "\r\n"); end >= 0 {
		return end
	}
	return len(text)
}

// literalLength is the length of the string literal at the start of a text, or of the whole text if the literal has no end.
func literalLength(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i + 1
		case text[i] == '\\' && quote != '`':
			i++
		}
	}
	return len(text)
}

// unquoted is the value of a string literal, or the literal itself if the parser would reject it.
func unquoted(literal string) string {
	if text, err := strutil.Unquote(literal); err == nil {
		return text
	}
	return literal
}

func isWord(c byte) bool {
	return c == '_' || c == ':' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func wordLength(text string) int {
	n := 0
	for n < len(text) && isWord(text[n]) {
		n++
	}
	return n
}

func isOperator(word string) bool {
	switch strings.ToLower(word) {
	case "and", "or", "unless", "atan2":
		return true
	}
	return false
}
