package prom

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// maxFederated bounds the series of a response to federate.
	maxFederated = 500_000
	// batchSeries is how many series are requested at once, unless one metric has more: they are held in memory.
	batchSeries = 20_000
)

// Federate writes the newest samples of the series that match any of the selectors match[] with their own times, as Prometheus'
// /federate does: series that have ended, or have no sample within five minutes, are left out. Ready is called once the first
// samples have arrived; an error before that can be sent as such, and one after it must break the response. A series without the label
// instance has an empty one, as there, so that a scrape does not add its own.
//
// Errors are *query.Error or *transport.Error.
//
// Source: https://prometheus.io/docs/prometheus/latest/federation/
func (c *Client) Federate(ctx context.Context, given url.Values, ready func(contentType string) io.Writer) error {
	p, now := paramsReader{given: given}, c.Now()
	selectors := p.selectors()
	if p.err != nil {
		return p.err
	}
	selected, err := c.selectSeries(ctx, selectors, now)
	if err != nil {
		return err
	}
	if n := selected.series(); n > maxFederated {
		return invalidParam("match[]", fmt.Sprintf("%d series match, and the limit is %d. Match fewer", n, maxFederated))
	}
	batches := selected.batches()
	// The selectors were counted by a request each, and newest sends two for each of them.
	if requests := len(selected.selectors)*(1+2*len(batches)) + 1; requests > transport.MaxRequests {
		return invalidParam("match[]", fmt.Sprintf("it takes about %d requests, and the limit is %d. Match fewer series, or with fewer selectors", requests, transport.MaxRequests))
	}
	w := &samplesWriter{ready: ready, format: plainText, withInstance: true}
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

// newest are the series of a selection with their newest samples.
func (c *Client) newest(ctx context.Context, of selection, now time.Time) ([]series.Series, error) {
	exprs, err := of.exprs()
	if err != nil {
		return nil, err
	}
	// A range vector has the times of samples, and a vector only the series that have not ended.
	alive := map[string]bool{}
	for _, expr := range exprs {
		m, err := c.evaluateSamples(ctx, promql.Query{Expr: expr}.At(now.UnixMilli()))
		if err != nil {
			return nil, err
		}
		for _, s := range m.Series {
			alive[s.Key] = true
		}
	}
	staleNaN, err := c.marksStaleByNaN(ctx)
	if err != nil {
		return nil, err
	}
	var newest []series.Series
	for _, expr := range exprs {
		m, err := c.evaluateSamples(ctx, promql.Query{Expr: expr + "[" + promql.FormatDuration(promql.LookbackDelta) + "]"}.At(now.UnixMilli()))
		if err != nil {
			return nil, err
		}
		for _, s := range m.Series {
			last := len(s.Values) - 1
			if last < 0 || !alive[s.Key] || staleNaN && math.IsNaN(s.Values[last]) {
				continue
			}
			delete(alive, s.Key) // another selector may match it, too
			s.Times, s.Values = s.Times[last:], s.Values[last:]
			newest = append(newest, s)
		}
	}
	return newest, nil
}

// evaluate evaluates a query of this feed, without the cache and the limits of queries of panels.
func (c *Client) evaluateSamples(ctx context.Context, q promql.Query) (*series.Matrix, error) {
	q.Unlimited = true
	evaluate := c.platform.Instant
	if q.Step > 0 {
		evaluate = c.platform.Range
	}
	result, err := evaluate(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(result.Warnings) > 0 {
		// A hole in an archive stays, and nobody sees the warning.
		return nil, &transport.Error{Kind: transport.ErrBadRequest, Message: result.Warnings[0]}
	}
	return result.Matrix, nil
}

// marksStaleByNaN reports that the engine is VictoriaMetrics: in its range vectors the marker that ends a series is NaN, which is no
// value there. Engines that know now() are.
func (c *Client) marksStaleByNaN(ctx context.Context) (bool, error) {
	now := c.Now()
	if known, ok := c.staleNaN.Get(now); ok {
		return known, nil
	}
	_, err := c.evaluateSamples(ctx, promql.Query{Expr: "now()"}.At(now.UnixMilli()))
	if err != nil && !errors.Is(err, transport.ErrBadRequest) {
		return false, err
	}
	c.staleNaN.Set(err == nil, now)
	return err == nil, nil
}
