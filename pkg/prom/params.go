package prom

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

// ParamError is the error of an invalid parameter of the Prometheus HTTP API.
type ParamError struct{ Name, Message string }

func (e *ParamError) Error() string { return "invalid parameter \"" + e.Name + "\": " + e.Message }

// checked copies the known parameters of an operation, in the format of the platform's specification: times as RFC 3339,
// durations with a unit. It drops all others. Errors are *[ParamError].
func checked(given url.Values, known map[string]paramKind) (url.Values, error) {
	params := url.Values{}
	for name, kind := range known {
		for _, value := range given[name] {
			if value == "" {
				continue
			}
			value, err := kind(value)
			if err != nil {
				return nil, &ParamError{name, err.Error()}
			}
			params.Add(name, value)
		}
	}
	return params, nil
}

// paramKind validates a value and formats it for the platform.
type paramKind func(value string) (string, error)

func textParam(value string) (string, error) { return value, nil }

// checkSelectors returns a *[ParamError] for invalid series selectors, and for those over the bounds of package promql.
func checkSelectors(selectors []string) error {
	err := promql.CheckSelectors(slices.DeleteFunc(slices.Clone(selectors), func(s string) bool { return s == "" }))
	var over *promql.BoundError
	switch {
	case errors.As(err, &over):
		return &ParamError{"match[]", "a selector " + over.Reason}
	case err != nil:
		return &ParamError{"match[]", err.Error()}
	}
	return nil
}

func countParam(value string) (string, error) {
	if n, err := strconv.Atoi(value); err != nil || n < 0 {
		return "", errors.New("not a whole number")
	}
	return value, nil
}

func timeParam(value string) (string, error) {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && math.Abs(seconds) < math.MaxInt64/1e6 {
		return formatTime(time.UnixMilli(int64(math.Round(seconds * 1000)))), nil
	}
	t, err := time.Parse(time.RFC3339Nano, value)
	if err != nil {
		return "", errors.New("neither Unix seconds nor an RFC 3339 time")
	}
	return formatTime(t), nil
}

func durationParam(value string) (string, error) {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if seconds <= 0 || seconds > math.MaxInt64/1e9 {
			return "", errors.New("must be longer than 0")
		}
		return formatDuration(time.Duration(seconds * float64(time.Second))), nil
	}
	d, err := model.ParseDuration(value)
	if err != nil {
		return "", errors.New("neither seconds nor a duration such as 60s")
	}
	if d <= 0 {
		return "", errors.New("must be longer than 0")
	}
	return formatDuration(time.Duration(d)), nil
}

// validLabelName reports whether a label name is valid in a path: a legacy name, or a UTF-8 name escaped as U__….
//
// Source: https://prometheus.io/docs/prometheus/latest/querying/api/#querying-label-values
func validLabelName(name string) bool {
	return model.LegacyValidation.IsValidLabelName(name) && !strings.Contains(name, "/")
}
