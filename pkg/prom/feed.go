package prom

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// maxCount is more series than any platform has.
const maxCount = 1e12

// selection is what match[] selects: series that match any of the selectors.
type selection struct {
	selectors []string
	// counts are how many series each metric has.
	counts map[string]int
}

func (s selection) series() int {
	n := 0
	for _, count := range s.counts {
		n += count
	}
	return n
}

// selectSeries finds the metrics that selectors select at some times, each with the most series that it had then. Selectors are
// counted one by one, because "or" would leave out series of one metric that have the labels of another's.
func (c *Client) selectSeries(ctx context.Context, selectors []string, times ...time.Time) (selection, error) {
	if len(selectors) == 0 {
		return selection{}, invalidParam("match[]", "at least one selector is needed")
	}
	most := map[string]int{}
	for _, at := range times {
		counts := map[string]int{}
		for _, selector := range selectors {
			m, err := c.evaluateSamples(ctx, promql.Query{Expr: "count by (__name__) (" + selector + ")"}.At(at))
			if err != nil {
				return selection{}, err
			}
			for _, s := range m.Series {
				if len(s.Values) == 0 || !(s.Values[0] >= 1 && s.Values[0] <= maxCount) { // true for NaN, too
					return selection{}, c.Transport.Service.Malformed(0, "sent something other than counts of series.")
				}
				counts[s.Labels[model.MetricNameLabel]] += int(s.Values[0])
			}
		}
		for name, n := range counts {
			most[name] = max(most[name], n)
		}
	}
	return selection{selectors, most}, nil
}

// batches splits a selection by its metrics, in their order, into some that together have at most so many series; a metric with
// more is one of its own.
func (s selection) batches(most int) []selection {
	var all []selection
	for _, name := range slices.Sorted(maps.Keys(s.counts)) {
		last := len(all) - 1
		if last < 0 || all[last].series()+s.counts[name] > most {
			all = append(all, selection{s.selectors, map[string]int{}})
			last++
		}
		all[last].counts[name] = s.counts[name]
	}
	return all
}

// exprs select the series of the selection: an expression for each selector.
func (s selection) exprs() ([]string, error) {
	names := slices.Sorted(maps.Keys(s.counts))
	only := &labels.Matcher{Type: labels.MatchEqual, Name: model.MetricNameLabel, Value: names[0]}
	if len(names) > 1 {
		for i, name := range names {
			names[i] = regexp.QuoteMeta(name)
		}
		only = &labels.Matcher{Type: labels.MatchRegexp, Name: model.MetricNameLabel, Value: strings.Join(names, "|")}
	}
	var exprs []string
	for _, one := range s.selectors {
		_, parsed, err := promql.Parse(one)
		if err != nil {
			return nil, err
		}
		vector := parsed.(*parser.VectorSelector) // as the parameters were checked to be
		exprs = append(exprs, selectorOf(append(vector.LabelMatchers, only)))
	}
	return exprs, nil
}

func selectorOf(matchers []*labels.Matcher) string {
	return (&parser.VectorSelector{LabelMatchers: matchers}).String()
}

// samples evaluates a selection as a query says. With a window they are the samples of so long until the end of an instant query, with
// their own times.
func (c *Client) samples(ctx context.Context, of selection, q promql.Query, window time.Duration) ([]series.Series, error) {
	exprs, err := of.exprs()
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	var all []series.Series
	for _, q.Expr = range exprs {
		if window > 0 {
			q.Expr += "[" + formatDuration(window) + "]"
		}
		m, err := c.evaluateSamples(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, s := range m.Series {
			if !done[s.Key] { // another selector may match it, too
				done[s.Key] = true
				all = append(all, s)
			}
		}
	}
	return all, nil
}

// evaluateSamples evaluates a query of a feed, without the cache and the limits of queries of panels.
func (c *Client) evaluateSamples(ctx context.Context, q promql.Query) (*series.Matrix, error) {
	q.Unlimited = true
	result, err := c.platform.Evaluate(ctx, q)
	if err != nil {
		return nil, err
	}
	return result.Matrix, whole(result.Warnings)
}

// whole is the error of a response with warnings: a hole in an archive stays, and nobody sees them.
func whole(warnings []string) error {
	if len(warnings) == 0 {
		return nil
	}
	return &transport.Error{Kind: transport.ErrBadRequest, Message: warnings[0]}
}

// marksStaleByNaN reports that the engine is VictoriaMetrics: in its range vectors the marker that ends a series is NaN, which is no
// value there. It knows now(), and Prometheus, whose words for an unknown function are its own, evaluates time().
func (c *Client) marksStaleByNaN(ctx context.Context) (bool, error) {
	at := c.Now()
	if known, ok := c.staleNaN.Get(at); ok {
		return known, nil
	}
	_, err := c.evaluateSamples(ctx, promql.Query{Expr: "now()"}.At(at))
	if err != nil {
		if _, failed := c.evaluateSamples(ctx, promql.Query{Expr: "time()"}.At(at)); failed != nil {
			return false, failed // which says nothing about the engine
		}
	}
	c.staleNaN.Set(err == nil, at)
	return err == nil, nil
}
