// cspell:ignore PDSW

package promql

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

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
