package query_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

var (
	noon     = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)
	fraction = noon.Add(123456 * time.Microsecond)
)

// timeIn is the time of a record whose member is JSON.
func timeIn(member string) (time.Time, bool) {
	at := query.Record{"at": json.RawMessage(member)}.Time("at")
	return at, !at.IsZero()
}

func TestRecord_TimeAsText(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2025-06-02T12:00:00Z":                noon,
		"2025-06-02T14:00:00+02:00":           noon,
		"2025-06-02T12:00:00":                 noon,
		"2025-06-02 12:00:00":                 noon,
		" 2025-06-02 12:00:00+00:00 ":         noon,
		"2025-06-02T12:00:00.123456Z":         fraction,
		"2025-06-02T12:00:00.123456":          fraction,
		"2025-06-02T12:00:00.123456789+00:00": noon.Add(123456789),
		"2025-06-02":                          noon.Truncate(24 * time.Hour),
		"1748865600":                          noon,
		"1748865600.123456":                   fraction,
		"1748865600000":                       noon,
		" 1.7488656e9 ":                       noon,
		"1969-12-31T23:59:59Z":                time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC),
	} {
		at, ok := timeIn(strconv.Quote(text))
		require.True(t, ok, text)
		require.Equal(t, want, at, text)
	}
	for name, text := range map[string]string{
		"nothing":                   "",
		"blanks":                    "  ",
		"zero":                      "0",
		"a negative number":         "-1",
		"a word":                    "never",
		"zero time of a language":   "0001-01-01T00:00:00Z",
		"the end of the calendar":   "9999-12-31T23:59:59Z",
		"before a frame's range":    "1677-09-21T00:00:00Z",
		"after a frame's range":     "2262-04-12T00:00:00Z",
		"a day that does not exist": "2025-02-30T00:00:00Z",
		"a time of day":             "12:00:00",
		"no number":                 "NaN",
		"infinity":                  "Inf",
		"a number with a unit":      "1748865600 s",
		"trailing text":             "2025-06-02T12:00:00Z and so on",
	} {
		_, ok := timeIn(strconv.Quote(text))
		require.False(t, ok, name)
	}
}

func TestRecord_TimeAsNumber(t *testing.T) {
	for name, test := range map[string]struct {
		number float64
		want   time.Time
	}{
		"seconds":                   {1748865600, noon},
		"seconds with a fraction":   {1748865600.123456, fraction},
		"milliseconds":              {1748865600123, noon.Add(123 * time.Millisecond)},
		"milliseconds and fraction": {1748865600123.456, fraction},
		"the first second":          {1, time.Unix(1, 0).UTC()},
		"the last second":           {9223372036, time.Unix(9223372036, 0).UTC()},
		"the first millisecond":     {631152000000, time.UnixMilli(631152000000).UTC()},
		"the last millisecond":      {9223372036854, time.UnixMilli(9223372036854).UTC()},
	} {
		at, ok := timeIn(strconv.FormatFloat(test.number, 'g', -1, 64))
		require.True(t, ok, name)
		require.Equal(t, test.want, at, name)
	}
	for name, number := range map[string]float64{
		"zero":                        0,
		"minus one":                   -1,
		"a date before 1970":          -1748865600,
		"seconds after 2262":          9223372037,
		"milliseconds after 2262":     9223372036855,
		"milliseconds before 1990":    631151999999,
		"seconds of the year 9999":    253402300799,
		"the same in milliseconds":    253402300799999,
		"microseconds":                1748865600123456,
		"more than a 64-bit integer":  1e19,
		"too large for every integer": 1e300,
		"no number":                   math.NaN(),
		"infinity":                    math.Inf(1),
		"minus infinity":              math.Inf(-1),
	} {
		_, ok := timeIn(strconv.FormatFloat(number, 'g', -1, 64))
		require.False(t, ok, name)
	}
}

// All formats of a time have the same result.
func TestRecord_FormatsOfTimeAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(631152000000, 9223372036854).Draw(t, "ms")).UTC()
		for form, text := range map[string]string{
			"RFC 3339":     at.Format(time.RFC3339Nano),
			"an offset":    at.In(time.FixedZone("", rapid.IntRange(-14*60, 14*60).Draw(t, "offset")*60)).Format(time.RFC3339Nano),
			"no offset":    at.Format("2006-01-02 15:04:05.000"),
			"seconds":      strconv.FormatFloat(float64(at.UnixMilli())/1e3, 'f', 3, 64),
			"milliseconds": strconv.FormatInt(at.UnixMilli(), 10),
		} {
			got, ok := timeIn(strconv.Quote(text))
			if !ok || !got.Round(time.Millisecond).Equal(at) {
				t.Fatalf("%s: %q is %v, not %v", form, text, got, at)
			}
		}
	})
}

// FuzzTime checks that a data frame can store each valid time, in 64 bits of nanoseconds.
func FuzzTime(f *testing.F) {
	for _, text := range []string{"2025-06-02T12:00:00Z", "1748865600", "1748865600000.5", "9223372036854775807", "9223372036", "0x1p62", "1677-09-21T00:12:43.145224192Z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if at, ok := timeIn(strconv.Quote(text)); ok && !time.Unix(0, at.UnixNano()).Equal(at) {
			t.Fatalf("%q is %v, which a frame holds as %v", text, at, time.Unix(0, at.UnixNano()))
		}
	})
}
