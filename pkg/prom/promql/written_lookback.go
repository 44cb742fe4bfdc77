// cspell:ignore smhdwyi

package promql

import (
	"math"
	"regexp"
	"strconv"
	"time"
)

const writtenDuration = `((?:\d+(?:\.\d+)?(?:ms|[smhdwyi]|))+)`

var (
	// textOrComment matches what holds no durations of an expression.
	textOrComment = regexp.MustCompile("\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'|`[^`]*`|#[^\n]*")
	// movesTime matches the beginning of all that decides how far a step looks back: windows, offsets, fixed times, and templates,
	// which repeat what is in them.
	movesTime = regexp.MustCompile(`(?i)\[|\boffset\b|@|\bwith\b`)
	// writtenWindow is a window with or without the step of a subquery, and writtenOffset is an offset, of one duration each.
	writtenWindow = regexp.MustCompile(`^\[\s*` + writtenDuration + `\s*(:\s*` + writtenDuration + `?\s*)?\]`)
	writtenOffset = regexp.MustCompile(`^(?i:offset)\s*-?\s*` + writtenDuration + `(?:[^\w.]|$)`)
	// moreOfOffset matches what may be arithmetic of durations, behind the first of them.
	moreOfOffset = regexp.MustCompile(`^\s*[-+*/%^]\s*[\d(]`)
	span         = regexp.MustCompile(`(\d+(?:\.\d+)?)(ms|[smhdwyi]|)`)
)

var spanUnits = map[string]time.Duration{
	"ms": time.Millisecond, "": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
	"y": 365 * 24 * time.Hour,
}

// WrittenLookback bounds how far a step of an expression that [Analyze] knows nothing about, such as MetricsQL, looks back: by the
// sum of all windows and offsets that are written in it, because each may be within another. It is false for an expression that is
// not understood completely: with arithmetic of durations, fixed times or templates.
//
// Format: https://docs.victoriametrics.com/victoriametrics/metricsql/
func WrittenLookback(expr string, step time.Duration) (lookback time.Duration, ok bool) {
	code := textOrComment.ReplaceAllString(expr, `""`)
	// Functions of MetricsQL take the last sample before a window into account, too, and some engines look back a step for any sample.
	before := LookbackDelta + step
	sum := float64(before)
	for _, at := range movesTime.FindAllStringIndex(code, -1) {
		rest := code[at[0]:]
		switch window, offset := writtenWindow.FindStringSubmatch(rest), writtenOffset.FindStringSubmatchIndex(rest); {
		case window != nil:
			sum += float64(before) + spanOf(window[1], step) + spanOf(window[3], step)
			if window[2] != "" && window[3] == "" { // the step of the query
				sum += float64(step)
			}
		case offset != nil && !moreOfOffset.MatchString(rest[offset[3]:]):
			sum += spanOf(rest[offset[2]:offset[3]], step)
		default:
			return 0, false
		}
	}
	if sum > math.MaxInt64/2 {
		return 0, false
	}
	return time.Duration(sum), true
}

// spanOf is a written duration in nanoseconds. i is the step.
func spanOf(text string, step time.Duration) (sum float64) {
	for _, part := range span.FindAllStringSubmatch(text, -1) {
		unit, known := spanUnits[part[2]]
		if !known {
			unit = step
		}
		n, _ := strconv.ParseFloat(part[1], 64)
		sum += n * float64(unit)
	}
	return sum
}
