package metrics

import (
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
	own := strings.TrimSpace(m.Interval)
	rateStep := isMacro(own, "__rate_interval")
	if isMacro(own, "__interval") || rateStep {
		own = ""
	}
	floor := max(minStep, time.Duration(m.IntervalMS)*time.Millisecond)
	if own != "" {
		parsed, err := gtime.ParseDuration(strings.TrimPrefix(own, ">"))
		if seconds, numErr := strconv.ParseFloat(own, 64); numErr == nil {
			parsed, err = time.Duration(seconds*float64(time.Second)), nil
		}
		if err != nil {
			return interval{}, &query.Error{Field: "Min step", Message: strconv.Quote(own) + " is not a duration. Write for example 60s, 5m or 1h."}
		}
		if parsed <= 0 {
			return interval{}, &query.Error{Field: "Min step", Message: "it must be longer than 0. Leave it empty for an automatic step."}
		}
		floor = parsed
	}
	points := q.MaxDataPoints
	if points <= 0 {
		points = defaultMaxDataPoints
	}
	step := max(floor, gtime.RoundInterval(timeRange/time.Duration(points)))
	if safe := gtime.RoundInterval(timeRange / maxPoints); safe > step {
		step = safe
	}
	// Rounding goes to the nearest pretty interval, which may be the shorter one.
	for timeRange/step >= maxPoints {
		step += step
	}
	if m.IntervalFactor > 1 && !rateStep {
		step *= time.Duration(m.IntervalFactor)
	}

	scrape := minStep
	if own != "" {
		scrape = floor
	}
	i := interval{step: step, timeRange: timeRange}
	if rateStep {
		i.step = rateInterval(step, minStep)
		i.rateInterval = i.step
	} else {
		i.rateInterval = rateInterval(max(q.Interval, time.Duration(m.IntervalMS)*time.Millisecond), scrape)
	}
	return i, nil
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
