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

// Layouts of strings. Those with seconds accept a fraction of one. A time without an offset is UTC.
var layouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}

// ParseTime parses a time as services of the platform, and deployments of one service, write it: RFC 3339, also with a space instead of
// the T, without an offset, or with a date only; or as seconds or milliseconds since 1970.
//
// A time is valid if a data frame can store it, in 64 bits of nanoseconds since 1970; others would overflow without an error.
// Placeholders for "no time" are invalid: 0, negative numbers, the year 1, the year 9999.
func ParseTime(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return fromNumber(number)
	}
	text = strings.Replace(text, " ", "T", 1)
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), time.Unix(0, at.UnixNano()).Equal(at)
		}
	}
	return time.Time{}, false
}

// since1990 is the minimum of milliseconds, in seconds. Smaller numbers are placeholders: the last second of the year 9999, a common
// value for "never", would be 1978 in milliseconds.
const since1990 = 631152000

// fromNumber converts a Unix timestamp in seconds or milliseconds, with or without a fraction, to a precision of microseconds. The
// units do not overlap: the last second, in 2262, is less than the first millisecond, in 1990.
func fromNumber(number float64) (time.Time, bool) {
	micros := number * 1e6
	if number >= since1990*1e3 {
		micros = number * 1e3
	}
	if !(micros > 0 && micros < math.MaxInt64/1e3) { // or NaN
		return time.Time{}, false
	}
	return time.UnixMicro(int64(math.Round(micros))).UTC(), true
}
