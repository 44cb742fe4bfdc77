package prom

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/exposition"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// maxExported bounds the samples of an export: some 3 GB of text.
	maxExported = 30_000_000
	// maxExportRequests bounds its requests to the platform: 100 metrics of 64 GPUs in two weeks take some 700.
	maxExportRequests = 3000
	// lineBytes is about how long the line of a sample is.
	lineBytes = 130
	// partSamples is how many samples are requested at once, about: their lines are held in memory until the response has arrived
	// whole.
	partSamples = 200_000
	// shortestPart is the shortest time that is requested at once, however many series there are.
	shortestPart = 10 * time.Minute
)

// Export writes the samples of the series that match any of the selectors match[], from start to end, both included, in
// OpenMetrics: by metric, and of each by time. A start before the platform's retention is the begin of that. Without step they are the samples as they were collected, which a deployment has
// to have instant queries with a time for; with step they are values at multiples of it. An interrupted export is resumed by one
// that starts at its last time, because equal samples are stored once.
//
// Ready and errors are those of [Client.Federate].
func (c *Client) Export(ctx context.Context, given url.Values, ready func() io.Writer) error {
	params, err := checked(given, map[string]paramKind{"start": timeParam, "end": timeParam, "step": durationParam})
	if err != nil {
		return err
	}
	for _, name := range []string{"start", "end"} {
		if !params.Has(name) {
			return &ParamError{name, "it is missing"}
		}
	}
	now := c.Now().UTC()
	start, end := timeOf(params, "start"), query.Earlier(timeOf(params, "end"), now)
	if end.Before(start) {
		return &ParamError{"start", "it is after the end, or after now"}
	}
	if stored := now.Add(-c.Retention); start.Before(stored) {
		start = stored
	}
	if end.Before(start) {
		return &ParamError{"end", "it is before " + formatMinute(start) + ", and the platform stores no older samples"}
	}
	step, _ := time.ParseDuration(params.Get("step"))
	selected, err := c.selectSeries(ctx, given["match[]"], start, start.Add(end.Sub(start)/2), end)
	if err != nil {
		return err
	}
	if err := c.addNames(ctx, &selected, start, end); err != nil {
		return err
	}
	interval := c.MinStep
	if step > 0 {
		interval = step
	}
	// Not as whole numbers, which would overflow for a step of a millisecond over centuries.
	if n := float64(selected.series()) * (float64(end.Sub(start)/interval) + 1); n > maxExported {
		return &ParamError{"match[]", fmt.Sprintf("%d series match, which have about %.0f million samples in this time, %.0f GB, and the limit is %d million. Match fewer, or export a shorter time after the other",
			selected.series(), n/1e6, n*lineBytes/1e9, maxExported/1_000_000)}
	}
	requests := 0
	for _, metric := range selected.metrics {
		requests += (int(end.Sub(start)/metric.part(interval)) + 1) * len(selected.selectors)
	}
	if requests > maxExportRequests {
		return &ParamError{"match[]", fmt.Sprintf("it takes about %d requests, and the limit is %d. Match fewer metrics, with fewer selectors, export a shorter time after the other, or use a longer step",
			requests, maxExportRequests)}
	}
	var w io.Writer
	for _, metric := range selected.metrics {
		one := selection{selectors: selected.selectors, metrics: []metricCount{metric}}
		known, header := describeSeries(metric.name), true
		part := metric.part(interval)
		for from := start; !from.After(end); from = from.Add(part) {
			to := query.Earlier(end, from.Add(part-time.Millisecond))
			lines, err := c.exportPart(ctx, one, from, to, step)
			if err != nil {
				return err
			}
			if len(lines) == 0 {
				continue
			}
			if w == nil {
				w = ready()
			}
			if header {
				lines = append(exposition.OpenMetrics.AppendHeader(nil, metric.name, known.Type, known.Help), lines...)
				header = false
			}
			if _, err := w.Write(lines); err != nil {
				return err
			}
		}
	}
	if w == nil {
		w = ready()
	}
	_, err = io.WriteString(w, exposition.EOF)
	return err
}

// part is the time that is requested at once, with one sample of each series in an interval.
func (m metricCount) part(interval time.Duration) time.Duration {
	return max(shortestPart.Truncate(interval), time.Duration(min(partSamples/m.series, promql.MaxPoints))*interval, interval)
}

// unknownSeries is how many series a metric is taken to have that has none at the times at which they are counted.
const unknownSeries = 1000

// addNames adds the metrics that there were in between.
func (c *Client) addNames(ctx context.Context, to *selection, start, end time.Time) error {
	envelope, err := c.LabelValues(ctx, metricName, url.Values{"match[]": to.selectors, "start": {formatTime(start)}, "end": {formatTime(end)}})
	if err != nil {
		return err
	}
	var names []string
	if json.Unmarshal(envelope.Data, &names) != nil {
		return c.explain(c.decodeError(http.StatusOK, nil))
	}
	for _, name := range names {
		isName := func(known metricCount) bool { return known.name == name }
		if !slices.ContainsFunc(to.metrics, isName) {
			to.metrics = append(to.metrics, metricCount{name, unknownSeries})
		}
	}
	slices.SortFunc(to.metrics, func(a, b metricCount) int { return strings.Compare(a.name, b.name) })
	return nil
}

// exportPart are the lines of the samples of one metric from one time to another, both included.
func (c *Client) exportPart(ctx context.Context, of selection, from, to time.Time, step time.Duration) ([]byte, error) {
	exprs, err := of.exprs()
	if err != nil {
		return nil, err
	}
	lines, done := newLines(exposition.OpenMetrics), newSeriesSet()
	if step > 0 {
		for _, expr := range exprs {
			params := url.Values{
				"query": {expr}, "start": {formatTime(align(from.Add(step-time.Millisecond), step, 0))}, "end": {formatTime(align(to, step, 0))}, "step": {formatDuration(step)},
			}
			err := c.eachOf(ctx, c.rangeQuery, params, func(labels data.Labels, times []int64, values []float64) error {
				if done.add(labels) {
					lines.add(labels, times, values)
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		return lines.of[of.metrics[0].name], nil
	}
	staleNaN, err := c.marksStaleByNaN(ctx)
	if err != nil {
		return nil, err
	}
	// A window is open at its start in Prometheus 3, and closed in Prometheus 2.
	window := "[" + formatDuration(to.Sub(from)+time.Millisecond) + "]"
	for _, expr := range exprs {
		err := c.each(ctx, expr+window, to, func(labels data.Labels, times []int64, values []float64) error {
			if !done.add(labels) {
				return nil
			}
			kept := 0
			for i, at := range times {
				if at >= from.UnixMilli() && !(staleNaN && math.IsNaN(values[i])) {
					times[kept], values[kept] = at, values[i]
					kept++
				}
			}
			lines.add(labels, times[:kept], values[:kept])
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return lines.of[of.metrics[0].name], nil
}
