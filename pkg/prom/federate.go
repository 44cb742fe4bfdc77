package prom

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// batchSeries is how many series are requested at once, unless one metric has more: they are held in memory.
const batchSeries = 20_000

// Federate writes the newest samples of the series that match any of the selectors match[] with their own times, as Prometheus'
// /federate does, in [PlainText]: series that have ended, or have no sample within five minutes, are left out. An error after the first write
// must break the response. A series without the label instance has an empty one, as there, so that a scrape does not add its own.
//
// Errors are *query.Error or *transport.Error.
//
// Source: https://prometheus.io/docs/prometheus/latest/federation/
func (c *Client) Federate(ctx context.Context, given url.Values, to io.Writer) error {
	p, now := paramsReader{given: given}, c.Now()
	selectors := p.selectors()
	if p.err != nil {
		return p.err
	}
	selected, err := c.selectSeries(ctx, selectors, now)
	if err != nil {
		return err
	}
	batches := selected.batches(batchSeries)
	// The selectors were counted by a request each, and newest sends two for each of them.
	if requests := len(selected.selectors)*(1+2*len(batches)) + 2; requests > transport.MaxRequests {
		return invalidParam("match[]", fmt.Sprintf("it takes about %d requests, and the limit is %d. Match fewer series, or with fewer selectors", requests, transport.MaxRequests))
	}
	w := samplesWriter{bufio.NewWriterSize(to, encodeBuffer), PlainText, true}
	for _, batch := range batches {
		newest, err := c.newest(ctx, batch, now)
		if err != nil {
			return err
		}
		if err := w.write(newest); err != nil {
			return err
		}
	}
	return w.end()
}

// newest are the series of a selection with their newest samples. A range vector has the times of samples, and a vector only the series
// that have not ended.
func (c *Client) newest(ctx context.Context, of selection, now time.Time) ([]series.Series, error) {
	at := promql.Query{}.At(now)
	vector, err := c.samples(ctx, of, at, 0)
	if err != nil {
		return nil, err
	}
	alive := map[string]bool{}
	for _, s := range vector {
		alive[s.Key] = true
	}
	newest, err := c.samples(ctx, of, at, promql.LookbackDelta)
	if err != nil {
		return nil, err
	}
	staleNaN, err := c.marksStaleByNaN(ctx)
	if err != nil {
		return nil, err
	}
	newest = slices.DeleteFunc(newest, func(s series.Series) bool {
		last := len(s.Values) - 1
		return last < 0 || !alive[s.Key] || staleNaN && math.IsNaN(s.Values[last])
	})
	for i, s := range newest {
		last := len(s.Values) - 1
		newest[i].Times, newest[i].Values = s.Times[last:], s.Values[last:]
	}
	return newest, nil
}
