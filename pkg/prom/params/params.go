// Package params checks the parameters of the Prometheus HTTP API, and formats them as the platform's specification does.
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

// Limit is the parameter that bounds the number of series or strings of a response.
const Limit = "limit"

// Error is the error of an invalid parameter.
type Error struct{ Name, Message string }

func (e *Error) Error() string { return "invalid parameter \"" + e.Name + "\": " + e.Message }

// Check copies the known parameters of an operation, in the format of the platform's specification: times as RFC 3339,
// durations with a unit. It drops all others. Errors are *[Error].
func Check(given url.Values, known map[string]Kind) (url.Values, error) {
	params := url.Values{}
	for name, kind := range known {
		for _, value := range given[name] {
			if value == "" {
				continue
			}
			value, err := kind(value)
			if err != nil {
				return nil, &Error{name, err.Error()}
			}
			params.Add(name, value)
		}
	}
	return params, nil
}

// Kind validates a value and formats it for the platform.
type Kind func(value string) (string, error)

// Text is any text.
func Text(value string) (string, error) { return value, nil }

// Count is a whole number.
func Count(value string) (string, error) {
	if n, err := strconv.Atoi(value); err != nil || n < 0 {
		return "", errors.New("not a whole number")
	}
	return value, nil
}

// Time is Unix seconds or RFC 3339.
func Time(value string) (string, error) {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && math.Abs(seconds) < math.MaxInt64/1e6 {
		return FormatTime(time.UnixMilli(int64(math.Round(seconds * 1000)))), nil
	}
	t, err := time.Parse(time.RFC3339Nano, value)
	if err != nil {
		return "", errors.New("neither Unix seconds nor an RFC 3339 time")
	}
	return FormatTime(t), nil
}

// Duration is seconds or a duration such as 60s.
func Duration(value string) (string, error) {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if seconds <= 0 || seconds > math.MaxInt64/1e9 {
			return "", errors.New("must be longer than 0")
		}
		return FormatDuration(time.Duration(seconds * float64(time.Second))), nil
	}
	d, err := model.ParseDuration(value)
	if err != nil {
		return "", errors.New("neither seconds nor a duration such as 60s")
	}
	if d <= 0 {
		return "", errors.New("must be longer than 0")
	}
	return FormatDuration(time.Duration(d)), nil
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

// TimeOf is a time among checked parameters, zero if there is none.
func TimeOf(checked url.Values, name string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, checked.Get(name))
	return at.UTC()
}

// LimitOf is the parameter limit; 0 and none mean no limit.
func LimitOf(params url.Values) int {
	if limit, err := strconv.Atoi(params.Get(Limit)); err == nil && limit > 0 {
		return limit
	}
	return math.MaxInt
}

// CheckSelectors returns an *[Error] for invalid series selectors, and for those over the bounds of package promql.
func CheckSelectors(selectors []string) error {
	err := promql.CheckSelectors(slices.DeleteFunc(slices.Clone(selectors), func(s string) bool { return s == "" }))
	var over *promql.BoundError
	switch {
	case errors.As(err, &over):
		return &Error{"match[]", "a selector " + over.Reason}
	case err != nil:
		return &Error{"match[]", err.Error()}
	}
	return nil
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
