package endpoint

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/params"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

const (
	// everySeries selects all series. A selector needs a matcher that the empty string does not match.
	everySeries = `{__name__!=""}`
	// maxLookback is how far back a derived list contains series that have ended.
	maxLookback = time.Hour
)

// derive derives a list by PromQL, for deployments that do not serve it.
func (c *Client) derive(ctx context.Context, q promql.ListQuery) (list *promql.List, err error) {
	most := params.LimitOf(q.Params)
	switch q.Kind {
	case promql.LabelNames:
		list, err = c.deriveLabelNames(ctx, q)
	case promql.LabelValues:
		list, err = c.deriveLabelValues(ctx, q)
	case promql.SeriesLabels:
		list, err = c.deriveSeries(ctx, q)
	case promql.MetricMetadata:
		list, err = c.deriveMetadata(ctx, q, most)
	}
	if err != nil {
		return nil, err
	}
	return list.First(most), nil
}

// deriveLabelNames takes the labels of one series of each metric: the series of a metric rarely differ in their label names,
// and a query of all series would be as large as the platform.
func (c *Client) deriveLabelNames(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	names := map[string]bool{}
	err := c.eachSeries(ctx, q, func(selected string) string { return "topk by (__name__) (1, " + selected + ")" },
		func(l data.Labels) {
			for name := range l {
				names[name] = true
			}
		})
	return &promql.List{Names: slices.Sorted(maps.Keys(names))}, err
}

func (c *Client) deriveLabelValues(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	label := model.UnescapeName(q.Label, model.ValueEncodingEscaping)
	grouping := label
	if !model.LegacyValidation.IsValidLabelName(label) {
		grouping = strconv.Quote(label)
	}
	values := map[string]bool{}
	err := c.eachSeries(ctx, q, func(selected string) string { return "group by (" + grouping + ") (" + selected + ")" },
		func(l data.Labels) {
			if value := l[label]; value != "" {
				values[value] = true
			}
		})
	return &promql.List{Names: slices.Sorted(maps.Keys(values))}, err
}

func (c *Client) deriveSeries(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	list := &promql.List{}
	seen := map[string]bool{}
	err := c.eachSeries(ctx, q, func(selected string) string { return selected }, func(l data.Labels) {
		if key := series.Key(l); !seen[key] {
			seen[key] = true
			list.Series = append(list.Series, l)
		}
	})
	return list, err
}

// deriveMetadata derives the type of a metric from its name, by the conventions of Prometheus.
func (c *Client) deriveMetadata(ctx context.Context, q promql.ListQuery, most int) (*promql.List, error) {
	selection := promql.ListQuery{Params: url.Values{}}
	if metric := q.Params.Get("metric"); metric != "" {
		matcher := labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, metric)
		selection.Params.Set("match[]", promql.Selector([]*labels.Matcher{matcher}))
	}
	known := map[string][]promql.Metadata{}
	err := c.eachSeries(ctx, selection, func(selected string) string { return "group by (__name__) (" + selected + ")" },
		func(l data.Labels) {
			name, kind := typeByName(l[model.MetricNameLabel])
			known[name] = []promql.Metadata{{Type: kind, ByName: true}}
		})
	for _, name := range slices.Sorted(maps.Keys(known))[min(len(known), most):] {
		delete(known, name)
	}
	return &promql.List{Metadata: known}, err
}

func typeByName(metric string) (name, kind string) {
	if strings.HasSuffix(metric, "_total") {
		return metric, "counter"
	}
	if histogram, ok := strings.CutSuffix(metric, "_bucket"); ok {
		return histogram, "histogram"
	}
	return metric, "gauge"
}

// eachSeries runs an instant query for each selector of a list, at the end of its range, and visits the labels of the results.
func (c *Client) eachSeries(ctx context.Context, q promql.ListQuery, query func(selected string) string, visit func(data.Labels)) error {
	start, end := q.Range(c.Now())
	lookback := min(end.Sub(start), maxLookback).Truncate(time.Minute)
	matches := q.Params["match[]"]
	if len(matches) == 0 {
		matches = []string{everySeries}
	}
	for _, match := range matches {
		selected := match
		if lookback > promql.LookbackDelta {
			selected = "last_over_time(" + match + "[" + model.Duration(lookback).String() + "])"
		}
		result, err := c.Instant(ctx, promql.Query{Expr: query(selected)}.At(end.UnixMilli()))
		if err != nil {
			return err
		}
		for _, s := range result.Matrix.Series {
			visit(s.Labels)
		}
	}
	return nil
}
