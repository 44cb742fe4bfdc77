package prom

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/exposition"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// maxFederated bounds the series of a response to federate.
	maxFederated = 500_000
	// batchSeries is how many series are requested at once, unless one metric has more: their lines are held in memory until the
	// response has arrived whole.
	batchSeries = 40_000
)

// metricCount is a metric and how many series it has.
type metricCount struct {
	name   string
	series int
}

// selection is what match[] selects: series that match any of the selectors.
type selection struct {
	selectors []string
	metrics   []metricCount // by name
}

// series is how many series are selected.
func (s selection) series() int {
	n := 0
	for _, metric := range s.metrics {
		n += metric.series
	}
	return n
}

// Federate writes the newest samples of the series that match any of the selectors match[], with their own times, as Prometheus'
// /federate does: series that have ended, or have no sample within five minutes, are left out. Ready is called once the first
// samples have arrived; an error before that can be sent as such, and one after it must break the response. A series without the label
// instance has an empty one, as there, so that a scrape does not add its own.
//
// Errors are *[ParamError] or *transport.Error.
//
// Source: https://prometheus.io/docs/prometheus/latest/federation/
func (c *Client) Federate(ctx context.Context, given url.Values, format exposition.Format, ready func() io.Writer) error {
	now := c.Now()
	selected, err := c.selectSeries(ctx, given["match[]"], now)
	if err != nil {
		return err
	}
	if n := selected.series(); n > maxFederated {
		return &ParamError{"match[]", fmt.Sprintf("%d series match, and the limit is %d. Match fewer", n, maxFederated)}
	}
	var w io.Writer
	flush := func(lines []byte) error {
		if w == nil {
			w = ready()
		}
		_, err := w.Write(lines)
		return err
	}
	for _, batch := range selected.batches() {
		lines, err := c.newest(ctx, batch, now, format)
		if err != nil {
			return err
		}
		if err := flush(lines); err != nil {
			return err
		}
	}
	return flush([]byte(exposition.EOF))
}

// selectSeries finds the metrics that selectors select at some times, each with the most series that it had then. Selectors are
// counted one by one, because "or" would leave out series of one metric that have the labels of another's.
func (c *Client) selectSeries(ctx context.Context, selectors []string, times ...time.Time) (selection, error) {
	selectors = slices.DeleteFunc(slices.Clone(selectors), func(s string) bool { return s == "" })
	if len(selectors) == 0 {
		return selection{}, &ParamError{"match[]", "at least one selector is needed"}
	}
	if err := checkSelectors(selectors); err != nil {
		return selection{}, err
	}
	most := map[string]int{}
	for _, at := range times {
		counts := map[string]int{}
		for _, selector := range selectors {
			response, err := c.fetchInstant(ctx, &parsedQuery{Expr: "count by (__name__) (" + selector + ")", At: at})
			if err != nil {
				return selection{}, c.explain(err)
			}
			for _, frame := range response.Frames {
				n, _ := frame.Fields[1].FloatAt(0)
				counts[frame.Fields[1].Labels[metricName]] += int(n)
			}
		}
		for name, n := range counts {
			most[name] = max(most[name], n)
		}
	}
	found := selection{selectors: selectors}
	for _, name := range slices.Sorted(maps.Keys(most)) {
		found.metrics = append(found.metrics, metricCount{name, most[name]})
	}
	return found, nil
}

// batches splits a selection into some whose metrics together have at most batchSeries series, where that is possible.
func (s selection) batches() []selection {
	var all []selection
	for _, metric := range s.metrics {
		last := len(all) - 1
		if last < 0 || all[last].series()+metric.series > batchSeries {
			all = append(all, selection{selectors: s.selectors})
			last++
		}
		all[last].metrics = append(all[last].metrics, metric)
	}
	return all
}

// exprs select the series of the selection: an expression for each selector.
func (s selection) exprs() ([]string, error) {
	var names []string
	for _, metric := range s.metrics {
		names = append(names, regexp.QuoteMeta(metric.name))
	}
	only := labels.MustNewMatcher(labels.MatchRegexp, metricName, strings.Join(names, "|"))
	if len(s.metrics) == 1 {
		only = labels.MustNewMatcher(labels.MatchEqual, metricName, s.metrics[0].name)
	}
	var exprs []string
	for _, one := range s.selectors {
		parsed, err := promql.Parse(one)
		if err != nil {
			return nil, err
		}
		vector, ok := parsed.(*parser.VectorSelector)
		if !ok || vector.OriginalOffset != 0 || vector.Timestamp != nil || vector.StartOrEnd != 0 {
			return nil, &ParamError{"match[]", "a selector has an offset or a time"}
		}
		exprs = append(exprs, selector(append(vector.LabelMatchers, only)))
	}
	return exprs, nil
}

// newest are the lines of the newest samples of a selection.
func (c *Client) newest(ctx context.Context, of selection, now time.Time, format exposition.Format) ([]byte, error) {
	exprs, err := of.exprs()
	if err != nil {
		return nil, err
	}
	// A range vector has the times of samples, and a vector only the series that have not ended.
	alive := newSeriesSet()
	for _, expr := range exprs {
		err := c.each(ctx, expr, now, func(labels data.Labels, _ []int64, _ []float64) error {
			alive.add(labels)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	staleNaN, err := c.marksStaleByNaN(ctx)
	if err != nil {
		return nil, err
	}
	lines := newLines(format)
	for _, expr := range exprs {
		err := c.each(ctx, expr+"["+formatDuration(promql.LookbackDelta)+"]", now, func(labels data.Labels, times []int64, values []float64) error {
			last := len(times) - 1
			if alive.remove(labels) && !(staleNaN && math.IsNaN(values[last])) {
				if _, ok := labels["instance"]; !ok {
					labels["instance"] = ""
				}
				lines.add(labels, times[last:], values[last:])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return lines.bytes(), nil
}

// marksStaleByNaN reports that the engine is VictoriaMetrics: in its range vectors the marker that ends a series is NaN, which is no
// value there. Engines that know now() are.
func (c *Client) marksStaleByNaN(ctx context.Context) (bool, error) {
	if known := c.staleNaN.Load(); known != nil {
		return *known, nil
	}
	_, err := c.fetchInstant(ctx, &parsedQuery{Expr: "now()", At: c.Now()})
	if err = c.explain(err); err != nil && !errors.Is(err, transport.ErrBadRequest) {
		return false, err
	}
	found := err == nil
	c.staleNaN.Store(&found)
	return found, nil
}

// each visits the series of an instant query while they arrive, without the cache and the limits of queries of panels.
func (c *Client) each(ctx context.Context, expr string, at time.Time, visit promjson.Visit) error {
	return c.eachOf(ctx, c.instantQuery, url.Values{"query": {expr}, "time": {formatTime(at)}}, visit)
}

func (c *Client) eachOf(ctx context.Context, o *operation, params url.Values, visit promjson.Visit) error {
	ctx, cancel := c.withTimeout(ctx, params)
	defer cancel()
	resp, err := c.call(ctx, o, params, "")
	if err != nil {
		return c.explain(err)
	}
	defer func() { _ = resp.Body.Close() }()
	result, err := promjson.Each(resp.Body, promjson.Limits{SamplesPerSeries: maxPointsOfInstant}, visit)
	if err != nil {
		return c.explain(c.decodeError(resp.StatusCode, err))
	}
	if result.Error != "" {
		return c.explain(c.Transport.Service().Rejected(resp.StatusCode, result.Error))
	}
	if len(result.Warnings) > 0 {
		// A hole in an archive stays, and nobody sees the warning.
		return c.Transport.Service().Rejected(resp.StatusCode, result.Warnings[0])
	}
	return nil
}

// lines are the lines of series by metric, because both formats have those of a metric together.
type lines struct {
	format exposition.Format
	of     map[string][]byte
}

func newLines(format exposition.Format) *lines { return &lines{format, map[string][]byte{}} }

func (l *lines) add(labels data.Labels, times []int64, values []float64) {
	metric := labels[metricName]
	l.of[metric] = l.format.AppendSeries(l.of[metric], labels, times, values)
}

// bytes are all lines, by the name of the metric, behind its type and meaning.
func (l *lines) bytes() []byte {
	var all []byte
	for _, metric := range slices.Sorted(maps.Keys(l.of)) {
		known := describeSeries(metric)
		all = append(l.format.AppendHeader(all, metric, known.Type, known.Help), l.of[metric]...)
	}
	return all
}

// seriesSet is a set of series by hashes of their labels.
type seriesSet struct {
	seed   maphash.Seed
	hashes map[uint64]bool
}

func newSeriesSet() *seriesSet { return &seriesSet{maphash.MakeSeed(), map[uint64]bool{}} }

func (s *seriesSet) hash(labels data.Labels) uint64 {
	var sum uint64
	for name, value := range labels { // in any order
		sum += maphash.String(s.seed, name+"\xff"+value)
	}
	return sum
}

// add adds a series, and reports whether it was not in the set.
func (s *seriesSet) add(labels data.Labels) bool {
	before := len(s.hashes)
	s.hashes[s.hash(labels)] = true
	return len(s.hashes) > before
}

// remove removes a series, and reports whether it was in the set.
func (s *seriesSet) remove(labels data.Labels) bool {
	hash := s.hash(labels)
	found := s.hashes[hash]
	delete(s.hashes, hash)
	return found
}
