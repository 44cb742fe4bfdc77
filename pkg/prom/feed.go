package prom

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// batchSeries is how many series of a federation are requested at once: they are held in memory.
	batchSeries = 20_000
	// maxExported bounds the samples of an export, some 3 GB of text, and maxExportRequests its requests to the platform: 100 metrics of 64
	// GPUs in two weeks take some 700.
	maxExported       = 30_000_000
	maxExportRequests = 3000
	// partSamples is about how many samples are requested at once, of the time from firstPart on up to longestPart: they are held in memory.
	partSamples = 200_000
	firstPart   = 10 * time.Minute
	longestPart = 7 * 24 * time.Hour
)

// Federate writes the newest samples of the series that match any of the selectors match[] with their own times, as Prometheus'
// /federate does, in [OpenMetrics]: series that have ended, or have no sample within five minutes, are left out. An error after the first
// write must break the response. A series without the label instance has an empty one, as there, so that a scrape does not add its own.
//
// Errors are *query.Error or *transport.Error.
//
// Source: https://prometheus.io/docs/prometheus/latest/federation/
func (c *Client) Federate(ctx context.Context, given url.Values, to io.Writer) error {
	p, now := paramsReader{given: given}, c.Now()
	p.require("match[]")
	selectors := p.selectors()
	if p.err != nil {
		return p.err
	}
	w := newSamplesWriter(to)
	w.withInstance = true
	ctx = transport.WithBudget(ctx, transport.MaxRequests)
	for _, selector := range selectors {
		batches, err := c.batches(ctx, selector, now)
		if err != nil {
			return err
		}
		for _, batch := range batches {
			newest, err := c.newest(ctx, batch, now)
			if err == nil {
				err = w.write(newest)
			}
			if err != nil {
				return err
			}
		}
	}
	return w.end()
}

// batches divides a selector by the names of metrics into some of at most batchSeries each, unless one metric has more.
func (c *Client) batches(ctx context.Context, selector string, now time.Time) (all []string, err error) {
	counts, err := c.samples(ctx, "count by (__name__) ("+selector+")", now, 0)
	if err != nil {
		return nil, err
	}
	parsed, err := promql.Parse(selector)
	if err != nil {
		return nil, invalidParam("match[]", err.Error())
	}
	matchers := parsed.(*parser.VectorSelector).LabelMatchers // as the parameters were checked to be
	var names []string
	size := 0.0
	for i, s := range counts {
		names, size = append(names, regexp.QuoteMeta(s.Labels[model.MetricNameLabel])), size+s.Values[0]
		if i == len(counts)-1 || size+counts[i+1].Values[0] > batchSeries {
			only := &labels.Matcher{Type: labels.MatchRegexp, Name: model.MetricNameLabel, Value: strings.Join(names, "|")}
			all = append(all, selectorOf(append(slices.Clip(matchers), only)))
			names, size = nil, 0
		}
	}
	return all, nil
}

// newest are the series of a selector with their newest samples. A range vector has the times of samples, and a vector only the series that
// have not ended.
func (c *Client) newest(ctx context.Context, selector string, now time.Time) ([]series.Series, error) {
	vector, err := c.samples(ctx, selector, now, 0)
	if err != nil {
		return nil, err
	}
	alive := make(map[string]float64, len(vector))
	for _, s := range vector {
		alive[s.Key] = s.Values[0]
	}
	newest, err := c.samples(ctx, selector, now, promql.LookbackDelta)
	if err != nil {
		return nil, err
	}
	newest = slices.DeleteFunc(newest, func(s series.Series) bool {
		value, is := alive[s.Key]
		return !is || math.IsNaN(s.Values[len(s.Values)-1]) && !math.IsNaN(value) // the marker of VictoriaMetrics; see Export
	})
	for i, s := range newest {
		last := len(s.Values) - 1
		newest[i].Times, newest[i].Values = s.Times[last:], s.Values[last:]
	}
	return newest, nil
}

// Export writes the samples of the series that match any of the selectors match[], from start to end, both included, in
// [OpenMetrics]: by time, in parts, and of each by metric. A start before the platform's retention is the begin of that. A sample that is
// NaN is left out: in the range vectors of VictoriaMetrics it is the marker that ends a series, and no value. An interrupted export is
// resumed by one that starts at its last time, because equal samples are stored once.
//
// Errors are those of [Client.Federate]. An export over a bound breaks off there.
func (c *Client) Export(ctx context.Context, given url.Values, to io.Writer) error {
	p, now := paramsReader{given: given}, c.Now().UTC()
	p.require("match[]", "start", "end")
	selectors, start, end := p.selectors(), p.time("start"), query.Earlier(p.time("end"), now)
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
	w, requests, part := newSamplesWriter(to), 0, firstPart
	for from := start; !from.After(end); {
		next, before := query.Earlier(end.Add(time.Millisecond), from.Add(part)), w.samples
		clear(w.written)
		for _, selector := range selectors {
			if requests++; requests > maxExportRequests || w.samples > maxExported {
				return invalidParam("match[]", fmt.Sprintf("it takes more than %d requests, or has more than %d million samples. Match fewer, or export a shorter time after the other",
					maxExportRequests, maxExported/1_000_000))
			}
			samples, err := c.samples(ctx, selector, next.Add(-time.Millisecond), next.Sub(from))
			if err != nil {
				return err
			}
			for i, s := range samples {
				samples[i] = withoutNaN(s, from.UnixMilli())
			}
			if err := w.write(samples); err != nil {
				return err
			}
		}
		switch found := w.samples - before; {
		case found < partSamples/2:
			part = min(2*part, longestPart)
		case found > partSamples:
			part = max(part/2, c.MinStep)
		}
		from = next
	}
	return w.end()
}

// withoutNaN is a series without NaN, and without samples before a time: a window is open at its start in Prometheus 3, and closed in
// Prometheus 2.
func withoutNaN(s series.Series, from int64) series.Series {
	kept := series.Series{Labels: s.Labels, Key: s.Key}
	for i, at := range s.Times {
		if at >= from && !math.IsNaN(s.Values[i]) {
			kept.Times, kept.Values = append(kept.Times, at), append(kept.Values, s.Values[i])
		}
	}
	return kept
}

// samples evaluates a selector at a time, without the cache and native histograms. With a window they are the samples of so long until
// then, with their own times. The series are the caller's.
func (c *Client) samples(ctx context.Context, selector string, at time.Time, window time.Duration) ([]series.Series, error) {
	if window > 0 {
		selector += "[" + formatDuration(window) + "]"
	}
	result, err := c.platform.Evaluate(results.NoCache(ctx), promql.Query{Expr: selector}.At(at))
	if err != nil {
		return nil, err
	}
	if len(result.Warnings) > 0 { // a hole in an archive stays, and nobody sees them
		return nil, &transport.Error{Kind: transport.ErrBadRequest, Message: result.Warnings[0]}
	}
	floats, _ := result.Matrix.Split()
	return slices.Clone(floats.Series), nil
}
