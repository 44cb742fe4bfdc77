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
)

// metricCount is a metric and how many series it has.
type metricCount struct {
	name   string
	series int
}

// maxCount is more series than any platform has.
const maxCount = 1e12

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
			m, err := c.evaluateSamples(ctx, promql.Query{Expr: "count by (__name__) (" + selector + ")"}.At(at.UnixMilli()))
			if err != nil {
				return selection{}, err
			}
			for _, s := range m.Series {
				if len(s.Values) == 0 || !(s.Values[0] >= 1 && s.Values[0] <= maxCount) { // true for NaN, too
					return selection{}, c.Transport.Service().Malformed(0, "sent something other than counts of series.")
				}
				counts[s.Labels[model.MetricNameLabel]] += int(s.Values[0])
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
	only := labels.MustNewMatcher(labels.MatchRegexp, model.MetricNameLabel, strings.Join(names, "|"))
	if len(s.metrics) == 1 {
		only = labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, s.metrics[0].name)
	}
	var exprs []string
	for _, one := range s.selectors {
		parsed, _, err := promql.Parse(one)
		if err != nil {
			return nil, err
		}
		vector, ok := parsed.(*parser.VectorSelector)
		if !ok || vector.OriginalOffset != 0 || vector.Timestamp != nil || vector.StartOrEnd != 0 {
			return nil, invalidParam("match[]", "a selector has an offset or a time")
		}
		exprs = append(exprs, promql.Selector(append(vector.LabelMatchers, only)))
	}
	return exprs, nil
}
