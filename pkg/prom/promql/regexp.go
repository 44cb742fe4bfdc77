package promql

import (
	"strconv"
	"strings"
	"unicode"
)

// The cost of compiling parts of a regular expression. A plain character costs 1, which is about a microsecond.
const (
	// anyRegexp is the cost of the smallest one.
	anyRegexp = 5
	// unicodeClass is the cost of \pL or \p{Greek}: a table of up to 600 ranges.
	unicodeClass = 300
	// foldedRange is the cost of a range beyond ASCII in a case-insensitive expression: each of its characters is folded.
	foldedRange = 8000
	// largestRepeat is the largest repeat count that Go's package regexp accepts.
	largestRepeat = 1000
	// beyondAnyBound ends the estimate before it overflows.
	beyondAnyBound = 1 << 30
)

// regexpCost is an upper bound of the cost of compiling a regular expression. A repeat count multiplies the cost of its part,
// because a{3} is compiled as aaa.
func regexpCost(pattern string) int {
	estimate := estimator{folded: isFolded(pattern), once: anyRegexp}
	for rest := pattern; rest != "" && estimate.sum < beyondAnyBound; {
		rest = rest[estimate.next(rest):]
	}
	sum := estimate.sum + estimate.once
	for _, outer := range estimate.outer {
		sum = min(sum+outer, beyondAnyBound)
	}
	return sum
}

// estimator adds up the cost of an expression's parts.
type estimator struct {
	folded bool
	// sum is the cost of the current group, outer are those of the groups around it, and last is the cost of the last part.
	sum, last int
	outer     []int
	// once is the cost of parsing, which repeat counts don't multiply.
	once int
}

// next adds the cost of the part at the start of a text, and returns the length of the part.
func (e *estimator) next(text string) int {
	switch text[0] {
	case '(':
		e.outer = append(e.outer, e.sum)
		e.sum = 0
		return 1
	case ')':
		e.last = e.sum + 1
		if n := len(e.outer); n > 0 {
			e.sum, e.outer = e.outer[n-1], e.outer[:n-1]
		} else {
			e.sum = 0
		}
		e.sum += e.last
		return 1
	case '{':
		if count, length := repeat(text); length > 0 {
			e.sum += e.last * (count - 1)
			e.last *= count
			return length
		}
	case '[':
		class := text[:classLength(text)]
		e.add(len(class))
		e.once += unicodeClass * (strings.Count(class, `\p`) + strings.Count(class, `\P`))
		if strings.ContainsAny(class, `^\`) || strings.IndexFunc(class, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
			e.fold(1 + strings.Count(class, "-") + strings.Count(class, `\`))
		}
		return len(class)
	case '\\':
		return e.escape(text)
	}
	e.add(1)
	return 1
}

func (e *estimator) escape(text string) int {
	if len(text) == 1 {
		return 1
	}
	switch text[1] {
	case 'Q':
		end := strings.Index(text, `\E`)
		if end < 0 {
			end = len(text)
		}
		e.add(end)
		return end
	case 'p', 'P':
		e.add(1)
		e.once += unicodeClass
		e.fold(1)
	case 'D', 'S', 'W':
		e.add(1)
		e.fold(1)
	default:
		e.add(1)
	}
	return 2
}

func (e *estimator) add(cost int) { e.last, e.sum = cost, e.sum+cost }

func (e *estimator) fold(ranges int) {
	if e.folded {
		e.once += ranges * foldedRange
	}
}

// repeat parses {2}, {2,} or {2,5}. For anything else in braces, which package regexp takes literally, the length is 0.
func repeat(text string) (count, length int) {
	end := strings.IndexByte(text[:min(len(text), len("{1000,1000}"))], '}')
	if end < 0 {
		return 0, 0
	}
	least, most, ranged := strings.Cut(text[1:end], ",")
	count, err := strconv.Atoi(least)
	if ranged && most != "" && err == nil {
		count, err = strconv.Atoi(most)
	}
	if err != nil {
		return 0, 0
	}
	return min(max(count, 1), largestRepeat), end + 1
}

// classLength is the length of the character class at the start of a text, such as [^]a-z[:digit:]\]], or of the whole text if
// the class has no end.
func classLength(text string) int {
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	for first := true; i < len(text); first = false {
		switch {
		case text[i] == ']' && !first:
			return i + 1
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], "[:"):
			if end := strings.Index(text[i:], ":]"); end >= 0 {
				i += end + 1
			}
		}
		i++
	}
	return len(text)
}

// isFolded reports whether an expression has flags with an i, such as (?i) or (?s-mi:…).
func isFolded(pattern string) bool {
	for {
		_, after, found := strings.Cut(pattern, "(?")
		if !found {
			return false
		}
		if flags := strings.IndexAny(after, ":)<("); strings.Contains(after[:max(flags, 0)], "i") {
			return true
		}
		pattern = after
	}
}
