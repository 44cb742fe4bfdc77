package prom

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// defaultMaxDataPoints is for queries without maxDataPoints.
	defaultMaxDataPoints = 1500
	// maxStep is longer than any range.
	maxStep = 10 * 365 * 24 * time.Hour
)

// interval is the step of a query, and the values of its macros.
type interval struct {
	step         time.Duration
	rateInterval time.Duration
	timeRange    time.Duration
}

// newInterval computes the step as Grafana's Prometheus data source does, from the minimum of the query ("interval") and of
// the panel (intervalMs), the width of the panel (maxDataPoints) and the points that Prometheus allows.
//
// One rule differs: without an "interval", the step is at least minStep, because the platform has no samples in between.
func newInterval(m queryModel, q backend.DataQuery, minStep time.Duration) (interval, error) {
	timeRange := q.TimeRange.To.Sub(q.TimeRange.From)
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
	i := interval{step: step, timeRange: timeRange}
	queried := max(q.Interval, panel)
	switch {
	case isMacro(m.Interval, "__rate_interval"):
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

// ownInterval is the minimum step of the query; 0 is none. A macro means an automatic step.
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
	parsed, err := gtime.ParseIntervalStringToTimeDuration(strings.TrimLeft(text, "<>")) // Grafana has saved minima as >10s and <10s>
	switch {
	case err != nil || parsed > maxStep:
		return 0, &query.Error{Field: "Min step", Message: strconv.Quote(text) + " is not a duration. Write for example 60s, 5m or 1h."}
	case parsed < 0:
		return 0, &query.Error{Field: "Min step", Message: "it must be longer than 0. Leave it empty for an automatic step."}
	}
	return parsed, nil
}

// automaticStep is the range divided by the points of the panel, rounded to a round interval. It is at least floor, and at
// least as long as Prometheus requires.
func automaticStep(timeRange time.Duration, points int64, floor time.Duration) time.Duration {
	if points <= 0 {
		points = defaultMaxDataPoints
	}
	step := floor
	if exact := timeRange / time.Duration(points); exact >= floor {
		// The nearest round interval may be shorter.
		step = max(floor, gtime.RoundInterval(exact))
	}
	step = max(step, gtime.RoundInterval(timeRange/promql.MaxPoints))
	for timeRange/step >= promql.MaxPoints {
		step += step
	}
	return step
}

// rateInterval is long enough for rate() to have two samples even if one is missing.
//
// Source: https://grafana.com/docs/grafana/latest/datasources/prometheus/template-variables/#use-__rate_interval
func rateInterval(step, scrape time.Duration) time.Duration {
	return max(step+scrape, 4*scrape)
}

func isMacro(text, name string) bool {
	return text == "$"+name || text == "${"+name+"}"
}

// interpolate replaces the macros whose values depend on the step, which only the backend computes.
func (i interval) interpolate(expr string) string {
	if !strings.Contains(expr, "$") {
		return expr // making the replacer takes half of the time of parsing a query
	}
	seconds := strconv.FormatInt(int64(math.Round(i.timeRange.Seconds())), 10)
	values := []struct{ name, value string }{
		// A name that is a prefix of another one is after it.
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

// align rounds a time down to a multiple of step, counted from midnight in the time zone of the dashboard, so that a refresh
// has the same points as before and new ones.
func align(t time.Time, step, utcOffset time.Duration) time.Time {
	ms, stepMS, offsetMS := t.UnixMilli(), step.Milliseconds(), utcOffset.Milliseconds()
	shifted := ms + offsetMS
	floor := shifted - ((shifted%stepMS)+stepMS)%stepMS
	return time.UnixMilli(floor - offsetMS).UTC()
}

// Step is the distance of so many points over a range, rounded to a round interval; it is no shorter than the scrape interval.
func (c *Client) Step(timeRange time.Duration, points int64) time.Duration {
	return automaticStep(timeRange, points, c.MinStep)
}

// Interpolate replaces the macros of Grafana's Prometheus data source, such as $__rate_interval, for a range and a step.
func (c *Client) Interpolate(expr string, timeRange, step time.Duration) string {
	return interval{step: step, rateInterval: rateInterval(step, c.MinStep), timeRange: timeRange}.interpolate(expr)
}
