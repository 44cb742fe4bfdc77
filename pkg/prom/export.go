package prom

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"time"

	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// maxExported bounds the samples of an export: some 3 GB of text.
	maxExported = 30_000_000
	// maxExportRequests bounds its requests to the platform: 100 metrics of 64 GPUs in two weeks take some 700.
	maxExportRequests = 3000
	// lineBytes is about how long the line of a sample is.
	lineBytes = 130
	// partSamples is how many samples are requested at once, about: they are held in memory.
	partSamples = 200_000
	// shortestPart is the shortest time that is requested at once, however many series there are, unless its points are too many.
	shortestPart = 10 * time.Minute
)

// Export writes the samples of the series that match any of the selectors match[], from start to end, both included, in
// [OpenMetrics]: by metric, and of each by time. A start before the platform's retention is the begin of that. Without step they are
// the samples as they were collected, which a deployment has to have instant queries with a time for; with step they are values at
// multiples of it. An interrupted export is resumed by one that starts at its last time, because equal samples are stored once.
//
// Errors are those of [Client.Federate].
func (c *Client) Export(ctx context.Context, given url.Values, to io.Writer) error {
	p, now := paramsReader{given: given}, c.Now().UTC()
	p.require("start", "end")
	start, end, step := p.time("start"), query.Earlier(p.time("end"), now), p.duration("step")
	selectors := p.selectors()
	if p.err != nil {
		return p.err
	}
	if end.Before(start) {
		return invalidParam("start", "it is after the end, or after now")
	}
	if stored := now.Add(-c.Retention); start.Before(stored) {
		start = stored
	}
	if end.Before(start) {
		return invalidParam("end", "it is before "+start.Format("2006-01-02 15:04 MST")+", and the platform stores no older samples")
	}
	selected, err := c.selectSeries(ctx, selectors, start, start.Add(end.Sub(start)/2), end)
	if err != nil {
		return err
	}
	if err := c.addNames(ctx, selected, start, end); err != nil {
		return err
	}
	interval := c.MinStep
	if step > 0 { // no part is without a multiple of it
		interval, start, end = step, align(start.Add(step-time.Millisecond), step, 0), align(end, step, 0)
	}
	// Not as whole numbers, which would overflow for a step of a millisecond over centuries.
	if n := float64(selected.series()) * (float64(end.Sub(start)/interval) + 1); n > maxExported {
		return invalidParam("match[]", fmt.Sprintf("%d series match, which have about %.0f million samples in this time, %.0f GB, and the limit is %d million. Match fewer, or export a shorter time after the other",
			selected.series(), n/1e6, n*lineBytes/1e9, maxExported/1_000_000))
	}
	requests, metrics := 0, selected.batches(0)
	for _, metric := range metrics {
		requests += (int(end.Sub(start)/metric.part(interval)) + 1) * len(selected.selectors)
	}
	if requests > maxExportRequests {
		return invalidParam("match[]", fmt.Sprintf("it takes about %d requests, and the limit is %d. Match fewer metrics, with fewer selectors, export a shorter time after the other, or use a longer step",
			requests, maxExportRequests))
	}
	w := samplesWriter{bufio.NewWriterSize(to, encodeBuffer), OpenMetrics, false}
	for _, metric := range metrics {
		part := metric.part(interval)
		for from := start; !from.After(end); from = from.Add(part) {
			samples, err := c.exportPart(ctx, metric, from, query.Earlier(end, from.Add(part-time.Millisecond)), step)
			if err != nil {
				return err
			}
			if err := w.write(samples); err != nil {
				return err
			}
		}
	}
	return w.end()
}

// part is the time of a metric that is requested at once, with one sample of each series in an interval.
func (s selection) part(interval time.Duration) time.Duration {
	steps := min(max(partSamples/s.series(), int(shortestPart/interval)), promql.MaxPoints)
	return max(time.Duration(steps)*interval, interval)
}

// unknownSeries is how many series a metric is taken to have that has none at the times at which they are counted.
const unknownSeries = 1000

// addNames adds the metrics that there were in between.
func (c *Client) addNames(ctx context.Context, to selection, start, end time.Time) error {
	names, err := c.platform.List(ctx, promql.ListQuery{Label: model.MetricNameLabel, Matches: to.selectors, Start: start, End: end})
	if err == nil {
		err = whole(names.Warnings)
	}
	if err != nil {
		return err
	}
	for _, name := range names.Names {
		if to.counts[name] == 0 {
			to.counts[name] = unknownSeries
		}
	}
	return nil
}

// exportPart are the samples of one metric from one time to another, both included.
func (c *Client) exportPart(ctx context.Context, of selection, from, to time.Time, step time.Duration) ([]series.Series, error) {
	if step > 0 {
		return c.samples(ctx, of, promql.Query{}.Over(from, align(to, step, 0), step), 0)
	}
	staleNaN, err := c.marksStaleByNaN(ctx)
	if err != nil {
		return nil, err
	}
	// A window is open at its start in Prometheus 3, and closed in Prometheus 2.
	samples, err := c.samples(ctx, of, promql.Query{}.At(to), to.Sub(from)+time.Millisecond)
	for i, s := range samples {
		samples[i] = within(s, from.UnixMilli(), staleNaN)
	}
	return samples, err
}

// within is a series without the samples before a time, and without NaN if that marks the end of series.
func within(s series.Series, from int64, staleNaN bool) series.Series {
	kept := series.Series{Labels: s.Labels}
	for i, at := range s.Times[:len(s.Values)] {
		if at >= from && !(staleNaN && math.IsNaN(s.Values[i])) {
			kept.Times, kept.Values = append(kept.Times, at), append(kept.Values, s.Values[i])
		}
	}
	return kept
}
