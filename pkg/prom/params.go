package prom

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// invalidParam is the error of an invalid parameter of the Prometheus HTTP API.
func invalidParam(name, message string) *query.Error {
	return &query.Error{Field: fmt.Sprintf("invalid parameter %q", name), Message: message}
}

// paramsReader reads parameters. Of several values the first counts that is not empty, and those that nobody reads are ignored.
type paramsReader struct {
	given url.Values
	// err is that of the first invalid parameter, a *query.Error.
	err error
}

// fail makes a parameter the invalid one, unless there is one already.
func (r *paramsReader) fail(name, message string) {
	if r.err == nil {
		r.err = invalidParam(name, message)
	}
}

// require checks that there are parameters.
func (r *paramsReader) require(names ...string) {
	for _, name := range names {
		if r.text(name) == "" {
			r.fail(name, "it is missing")
		}
	}
}

func (r *paramsReader) text(name string) string {
	for _, text := range r.given[name] {
		if text != "" {
			return text
		}
	}
	return ""
}

// count is a whole number; 0 if it is missing.
func (r *paramsReader) count(name string) int { return read(r, name, parseCount) }

// time is Unix seconds or RFC 3339, in milliseconds; zero if it is missing.
func (r *paramsReader) time(name string) time.Time { return read(r, name, parseTime) }

// duration is seconds or a duration such as 60s, in milliseconds; 0 if it is missing.
func (r *paramsReader) duration(name string) time.Duration { return read(r, name, parseDuration) }

// selectors are the series selectors match[]. They are within the bounds of package promql.
func (r *paramsReader) selectors() []string {
	selectors := slices.DeleteFunc(slices.Clone(r.given["match[]"]), func(s string) bool { return s == "" })
	if err := promql.CheckSelectors(selectors); err != nil {
		r.fail("match[]", err.Error())
	}
	return selectors
}

func read[T any](r *paramsReader, name string, parse func(text string) (T, error)) (value T) {
	if text := r.text(name); text != "" {
		var err error
		if value, err = parse(text); err != nil {
			r.fail(name, err.Error())
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
	case duration < time.Millisecond:
		return 0, errors.New("it is shorter than a millisecond")
	}
	return duration.Truncate(time.Millisecond), nil
}
