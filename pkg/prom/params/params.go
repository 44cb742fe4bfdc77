// Package params reads the parameters of the Prometheus HTTP API, and formats them as the platform's specification does.
package params

import (
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// Error is the error of an invalid parameter.
type Error struct{ Name, Message string }

func (e *Error) Error() string { return "invalid parameter \"" + e.Name + "\": " + e.Message }

// Reader reads parameters. Of several values the first counts that is not empty, and those that nobody reads are ignored.
type Reader struct {
	Given url.Values
	// Err is that of the first invalid parameter, an *[Error].
	Err error
}

// Fail makes a parameter the invalid one, unless there is one already.
func (r *Reader) Fail(name, message string) {
	if r.Err == nil {
		r.Err = &Error{name, message}
	}
}

// Require checks that there are parameters.
func (r *Reader) Require(names ...string) {
	for _, name := range names {
		if r.Text(name) == "" {
			r.Fail(name, "it is missing")
		}
	}
}

// Text is any text.
func (r *Reader) Text(name string) string {
	for _, text := range r.Given[name] {
		if text != "" {
			return text
		}
	}
	return ""
}

// Count is a whole number; 0 if it is missing.
func (r *Reader) Count(name string) int { return read(r, name, parseCount) }

// Time is Unix seconds or RFC 3339, in milliseconds; zero if it is missing.
func (r *Reader) Time(name string) time.Time { return read(r, name, parseTime) }

// Duration is seconds or a duration such as 60s, in milliseconds; 0 if it is missing.
func (r *Reader) Duration(name string) time.Duration { return read(r, name, parseDuration) }

// Selectors are the series selectors match[]. They are within the bounds of package promql.
func (r *Reader) Selectors() []string {
	selectors := slices.DeleteFunc(slices.Clone(r.Given["match[]"]), func(s string) bool { return s == "" })
	err := promql.CheckSelectors(selectors)
	var over *promql.BoundError
	switch {
	case errors.As(err, &over):
		r.Fail("match[]", "a selector "+over.Reason)
	case err != nil:
		r.Fail("match[]", err.Error())
	}
	return selectors
}

func read[T any](r *Reader, name string, parse func(text string) (T, error)) (value T) {
	if text := r.Text(name); text != "" {
		var err error
		if value, err = parse(text); err != nil {
			r.Fail(name, err.Error())
		}
	}
	return value
}

func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errors.New("not a whole number")
	}
	return n, nil
}

func parseTime(text string) (time.Time, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(seconds) < math.MaxInt64/1e6 {
		return time.UnixMilli(int64(math.Round(seconds * 1000))).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, errors.New("neither Unix seconds nor an RFC 3339 time")
	}
	return t.Truncate(time.Millisecond).UTC(), nil
}

func parseDuration(text string) (time.Duration, error) {
	d, err := model.ParseDuration(text)
	duration := time.Duration(d)
	if seconds, numErr := strconv.ParseFloat(text, 64); numErr == nil && math.Abs(seconds) <= math.MaxInt64/1e9 {
		duration, err = time.Duration(seconds*float64(time.Second)), nil
	}
	switch {
	case err != nil:
		return 0, errors.New("neither seconds nor a duration such as 60s")
	case duration <= 0:
		return 0, errors.New("must be longer than 0")
	}
	return duration.Truncate(time.Millisecond), nil
}

// FormatTime formats a time as in the examples of the specification: RFC 3339.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }

// FormatDuration formats a step as in the examples of the specification: 60s.
func FormatDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}

// CheckLabelName returns an *[Error] for a label name that is not valid in a path: neither a legacy name, nor a UTF-8 name escaped
// as U__….
//
// Source: https://prometheus.io/docs/prometheus/latest/querying/api/#querying-label-values
func CheckLabelName(name string) error {
	if !model.LegacyValidation.IsValidLabelName(name) || strings.Contains(name, "/") {
		return &Error{"name", "not a label name"}
	}
	return nil
}
