package promclient

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// maxPoints is how many points Prometheus gives for one series at most.
	maxPoints = 11000
	// defaultMaxDataPoints stands in where a query does not say how many points its panel can draw.
	defaultMaxDataPoints = 1500
	// maxIntervalFactor is twice what Grafana's editor offers.
	maxIntervalFactor = 20
	// maxStep is longer than any range, and does not overflow a duration when it is multiplied by the interval factor.
	maxStep = 10 * 365 * 24 * time.Hour
)

// interval is a query's step and what its macros stand for.
type interval struct {
	step         time.Duration
	rateInterval time.Duration
	timeRange    time.Duration
}

// newInterval works the step out as Grafana's Prometheus data source does, from the query's own minimum ("interval"),
// the panel's (intervalMs), its width (maxDataPoints) and the points Prometheus allows.
//
// One rule differs: without an "interval" of its own, no query's step is shorter than minStep, because the platform
// has no samples in between.
func newInterval(m queryModel, q backend.DataQuery, minStep time.Duration) (interval, error) {
	timeRange := q.TimeRange.To.Sub(q.TimeRange.From)
	if m.IntervalFactor > maxIntervalFactor {
		return interval{}, &query.Error{Field: "Resolution", Message: fmt.Sprintf("the interval factor %d is above the limit of %d.", m.IntervalFactor, maxIntervalFactor)}
	}
	own, err := ownInterval(m.Interval)
	if err != nil {
		return interval{}, err
	}
	panel := time.Duration(min(max(m.IntervalMS, 0), float64(maxStep/time.Millisecond))) * time.Millisecond
	floor := own
	if own == 0 {
		floor = max(minStep, panel)
	}
	step := max(automaticStep(timeRange, q.MaxDataPoints, floor), time.Millisecond).Truncate(time.Millisecond)
	isRate := isMacro(m.Interval, "__rate_interval")
	if m.IntervalFactor > 1 && !isRate {
		step *= time.Duration(m.IntervalFactor)
	}

	i := interval{step: step, timeRange: timeRange}
	queried := max(q.Interval, panel)
	switch {
	case isRate:
		i.step = rateInterval(step, minStep)
		i.rateInterval = i.step
	case isMacro(m.Interval, "__interval"), isMacro(m.Interval, "__interval_ms"):
		i.rateInterval = rateInterval(queried, step)
	case own != 0:
		i.rateInterval = rateInterval(queried, own)
	default:
		i.rateInterval = rateInterval(queried, minStep)
	}
	return i, nil
}

// ownInterval is the query's own minimum step; 0 is none. A macro stands for an automatic step.
func ownInterval(text string) (time.Duration, error) {
	for _, name := range []string{"__interval", "__interval_ms", "__rate_interval", "__rate_interval_ms"} {
		if isMacro(text, name) {
			return 0, nil
		}
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	// Grafana has written minima as >10s and <10s>.
	bare := strings.TrimSuffix(strings.TrimLeft(text, "<>"), ">")
	parsed, err := gtime.ParseDuration(bare)
	if seconds, numErr := strconv.ParseFloat(bare, 64); numErr == nil {
		parsed, err = time.Duration(seconds*float64(time.Second)), nil
		if !(math.Abs(seconds) < maxStep.Seconds()) { // NaN isn't, either
			err = strconv.ErrRange
		}
	}
	switch {
	case err != nil || parsed > maxStep:
		return 0, &query.Error{Field: "Min step", Message: strconv.Quote(text) + " is not a duration. Write for example 60s, 5m or 1h."}
	case parsed < 0:
		return 0, &query.Error{Field: "Min step", Message: "it must be longer than 0. Leave it empty for an automatic step."}
	}
	return parsed, nil
}

// automaticStep is the range divided by the points of the panel, rounded to a pretty interval, but no shorter than floor, and
// no shorter than Prometheus allows.
func automaticStep(timeRange time.Duration, points int64, floor time.Duration) time.Duration {
	if points <= 0 {
		points = defaultMaxDataPoints
	}
	step := floor
	if exact := timeRange / time.Duration(points); exact >= floor {
		// Rounding goes to the nearest pretty interval, which may be the shorter one.
		step = max(floor, gtime.RoundInterval(exact))
	}
	step = max(step, gtime.RoundInterval(timeRange/maxPoints))
	for timeRange/step >= maxPoints {
		step += step
	}
	return step
}

// rateInterval is long enough for rate() to find two samples even if one is missing.
//
// Source: https://grafana.com/docs/grafana/latest/datasources/prometheus/template-variables/#use-__rate_interval
func rateInterval(step, scrape time.Duration) time.Duration {
	return max(step+scrape, 4*scrape)
}

func isMacro(text, name string) bool {
	return text == "$"+name || text == "${"+name+"}"
}

// interpolate replaces the macros that only the backend can: their values depend on the step.
func (i interval) interpolate(expr string) string {
	seconds := strconv.FormatInt(int64(math.Round(i.timeRange.Seconds())), 10)
	values := []struct{ name, value string }{
		// A name that another one starts with comes after it.
		{"__interval_ms", strconv.FormatInt(i.step.Milliseconds(), 10)},
		{"__interval", gtime.FormatInterval(i.step)},
		{"__rate_interval_ms", strconv.FormatInt(i.rateInterval.Milliseconds(), 10)},
		{"__rate_interval", model.Duration(i.rateInterval).String()},
		{"__range_ms", strconv.FormatInt(i.timeRange.Milliseconds(), 10)},
		{"__range_s", seconds},
		{"__range", seconds + "s"},
	}
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, "$"+v.name, v.value, "${"+v.name+"}", v.value)
	}
	return strings.NewReplacer(pairs...).Replace(expr)
}

// align moves a time down to a multiple of step, counted from midnight in the dashboard's time zone, so that a refresh
// asks for the same points again and one more.
func align(t time.Time, step, utcOffset time.Duration) time.Time {
	ms, stepMS, offsetMS := t.UnixMilli(), step.Milliseconds(), utcOffset.Milliseconds()
	shifted := ms + offsetMS
	floor := shifted - ((shifted%stepMS)+stepMS)%stepMS
	return time.UnixMilli(floor - offsetMS).UTC()
}
