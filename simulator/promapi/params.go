package promapi

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
)

// The oldest and newest times that a label request without start and end covers.
var (
	minTime = time.UnixMilli(math.MinInt64 / 2)
	maxTime = time.UnixMilli(math.MaxInt64 / 2)
)

// parseTime reads Unix seconds or RFC 3339.
func parseTime(s string) (time.Time, error) {
	if seconds, err := strconv.ParseFloat(s, 64); err == nil {
		whole, part := math.Modf(seconds)
		part = math.Round(part*1000) / 1000
		return time.Unix(int64(whole), int64(part*float64(time.Second))).UTC(), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("cannot parse %q to a valid timestamp", s)
}

// optionalTime reads a time parameter that may be missing.
func optionalTime(form url.Values, name string, missing time.Time) (time.Time, error) {
	value := form.Get(name)
	if value == "" {
		return missing, nil
	}
	t, err := parseTime(value)
	if err != nil {
		return t, invalid(name, fmt.Errorf("invalid time value for '%s': %w", name, err))
	}
	return t, nil
}

// parseDuration reads seconds or a Prometheus duration such as 1h30m.
func parseDuration(s string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(s, 64); err == nil {
		d := seconds * float64(time.Second)
		if d > math.MaxInt64 || d < math.MinInt64 || math.IsNaN(d) {
			return 0, fmt.Errorf("cannot parse %q to a valid duration. It overflows int64", s)
		}
		return time.Duration(d), nil
	}
	if d, err := model.ParseDuration(s); err == nil {
		return time.Duration(d), nil
	}
	return 0, fmt.Errorf("cannot parse %q to a valid duration", s)
}

// maxPoints is how many steps a range query may have.
const maxPoints = 11000

type timeRange struct {
	start, end time.Time
	step       time.Duration
}

// parseRange reads start, end and step.
func parseRange(form url.Values) (r timeRange, err error) {
	if r.start, err = parseTime(form.Get("start")); err != nil {
		return r, invalid("start", err)
	}
	if r.end, err = parseTime(form.Get("end")); err != nil {
		return r, invalid("end", err)
	}
	if r.end.Before(r.start) {
		return r, invalid("end", errors.New("end timestamp must not be before start time"))
	}
	if r.step, err = parseDuration(form.Get("step")); err != nil {
		return r, invalid("step", err)
	}
	if r.step <= 0 {
		return r, invalid("step", errors.New("zero or negative query resolution step widths are not accepted. Try a positive integer"))
	}
	if r.end.Sub(r.start)/r.step > maxPoints {
		return r, badData(errors.New("exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)"))
	}
	return r, nil
}

// parseSelectors reads the match[] parameters; none selects everything.
func (a *API) parseSelectors(form url.Values) ([][]*labels.Matcher, error) {
	selectors, err := a.parser.ParseMetricSelectors(form["match[]"])
	if err != nil {
		return nil, invalid("match[]", err)
	}
	if len(selectors) == 0 {
		selectors = [][]*labels.Matcher{nil}
	}
	return selectors, nil
}
