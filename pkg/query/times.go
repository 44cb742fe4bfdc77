package query

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Earlier is the earlier one of two times.
func Earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Later is the later one of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Layouts of strings. All but the last accept a fraction of a second. A time without an offset is UTC.
var layouts = []string{
	time.RFC3339,
	"2006-01-02T15:04:05Z0700", // strftime's %z has no colon
	"2006-01-02T15:04:05",
	time.DateOnly,
}

// maxTime bounds the length of strings, in bytes. The longest valid one has less than forty.
const maxTime = 64

// The range of times that fit into 64 bits of nanoseconds.
var (
	earliest = time.Unix(0, math.MinInt64)
	latest   = time.Unix(0, math.MaxInt64)
)

// ParseTime parses a time as services of the platform, and deployments of one service, write it: RFC 3339, also with a space instead of
// the T, without an offset, or with a date only; or a number as of fromNumber.
//
// A time is valid if a data frame can store it, in 64 bits of nanoseconds since 1970; others would overflow without an error.
// Placeholders for "no time" are invalid: 0, negative numbers, the year 1, the year 9999.
func ParseTime(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxTime {
		return time.Time{}, false
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return fromNumber(number)
	}
	text = strings.ToUpper(text)
	if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == ' ' {
		text = text[:len(time.DateOnly)] + "T" + text[len(time.DateOnly)+1:]
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), !at.Before(earliest) && !at.After(latest)
		}
	}
	return time.Time{}, false
}

// since1990 is the minimum of milliseconds, microseconds and nanoseconds, in seconds. Smaller numbers are placeholders: the
// last second of the year 9999, a common value for "never", would be 1978 in milliseconds.
const since1990 = 631152000

// fromNumber converts a Unix timestamp in seconds, milliseconds, microseconds or nanoseconds, with or without a fraction. The
// size of the number determines the unit. The result has a precision of microseconds.
//
// The units do not overlap: the maximum of each, in 2262, is less than the minimum of the next, in 1990.
func fromNumber(number float64) (time.Time, bool) {
	switch {
	case number >= since1990*1e9:
		number /= 1e3
	case number >= since1990*1e6:
	case number >= since1990*1e3:
		number *= 1e3
	case number > 0:
		number *= 1e6
	default: // or NaN
		return time.Time{}, false
	}
	if number >= math.MaxInt64/1e3 {
		return time.Time{}, false
	}
	return time.UnixMicro(int64(math.Round(number))).UTC(), true
}
