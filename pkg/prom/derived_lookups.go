package prom

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// derivation derives the result of an operation by PromQL, for deployments that do not serve it.
type derivation func(ctx context.Context, c *Client, params url.Values, name string) (*Envelope, error)

const (
	// everySeries selects all series. A selector needs a matcher that the empty string does not match.
	everySeries = `{__name__!=""}`
	// maxLookback is how far back a derived list contains series that have ended.
	maxLookback = time.Hour
)

// deriveLabelNames takes the labels of one series of each metric: the series of a metric rarely differ in their label names,
// and a query of all series would be as large as the platform.
func deriveLabelNames(ctx context.Context, c *Client, params url.Values, _ string) (*Envelope, error) {
	names := map[string]bool{}
	err := c.eachSeries(ctx, params, func(selected string) string { return "topk by (__name__) (1, " + selected + ")" },
		func(l data.Labels) {
			for name := range l {
				names[name] = true
			}
		})
	return success(limited(slices.Sorted(maps.Keys(names)), params), err)
}

func deriveLabelValues(ctx context.Context, c *Client, params url.Values, name string) (*Envelope, error) {
	label := model.UnescapeName(name, model.ValueEncodingEscaping)
	grouping := label
	if !model.LegacyValidation.IsValidLabelName(label) {
		grouping = strconv.Quote(label)
	}
	values := map[string]bool{}
	err := c.eachSeries(ctx, params, func(selected string) string { return "group by (" + grouping + ") (" + selected + ")" },
		func(l data.Labels) {
			if value := l[label]; value != "" {
				values[value] = true
			}
		})
	return success(limited(slices.Sorted(maps.Keys(values)), params), err)
}

func deriveSeries(ctx context.Context, c *Client, params url.Values, _ string) (*Envelope, error) {
	series := []data.Labels{}
	seen := map[string]bool{}
	err := c.eachSeries(ctx, params, func(selected string) string { return selected }, func(l data.Labels) {
		if name := l.String(); !seen[name] {
			seen[name] = true
			series = append(series, l)
		}
	})
	return success(limited(series, params), err)
}

type metricMetadata struct {
	Type string `json:"type"`
	Help string `json:"help"`
	Unit string `json:"unit"`
	// byName reports that the type is derived from the name.
	byName bool
}

// deriveMetadata derives the type of a metric from its name, by the conventions of Prometheus.
func deriveMetadata(ctx context.Context, c *Client, params url.Values, _ string) (*Envelope, error) {
	selection := url.Values{}
	if metric := params.Get("metric"); metric != "" {
		selection.Set("match[]", selector([]*labels.Matcher{labels.MustNewMatcher(labels.MatchEqual, metricName, metric)}))
	}
	known := map[string][]metricMetadata{}
	err := c.eachSeries(ctx, selection, func(selected string) string { return "group by (__name__) (" + selected + ")" },
		func(l data.Labels) {
			name, kind := typeByName(l[metricName])
			known[name] = []metricMetadata{metricMetadata{Type: kind, byName: true}.complete(name)}
		})
	for _, name := range slices.Sorted(maps.Keys(known))[min(len(known), limitOf(params)):] {
		delete(known, name)
	}
	return success(known, err)
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

// eachSeries runs an instant query for each selector of params, at the end of the range, and visits the labels of the results.
func (c *Client) eachSeries(ctx context.Context, params url.Values, query func(selected string) string, visit func(data.Labels)) error {
	end, lookback := lookupRange(params, c.Now())
	matches := params["match[]"]
	if len(matches) == 0 {
		matches = []string{everySeries}
	}
	for _, match := range matches {
		selected := match
		if lookback > promql.LookbackDelta {
			selected = "last_over_time(" + match + "[" + model.Duration(lookback).String() + "])"
		}
		result, err := c.fetchInstant(ctx, &parsedQuery{Expr: query(selected), At: end})
		if err != nil {
			return err
		}
		for _, frame := range result.Frames {
			visit(frame.Fields[1].Labels)
		}
	}
	return nil
}

func lookupRange(params url.Values, now time.Time) (end time.Time, lookback time.Duration) {
	end, err := time.Parse(time.RFC3339Nano, params.Get("end"))
	if err != nil || end.After(now) {
		end = now
	}
	start, err := time.Parse(time.RFC3339Nano, params.Get("start"))
	if err != nil {
		return end, promql.LookbackDelta
	}
	return end, min(end.Sub(start), maxLookback).Truncate(time.Minute)
}

// limitOf is the parameter limit; 0 and none mean no limit.
func limitOf(params url.Values) int {
	if limit, err := strconv.Atoi(params.Get("limit")); err == nil && limit > 0 {
		return limit
	}
	return int(^uint(0) >> 1)
}

func limited[T any](list []T, params url.Values) []T {
	return list[:min(len(list), limitOf(params))]
}

func success(value any, err error) (*Envelope, error) {
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(value)
	return &Envelope{Status: "success", Data: encoded}, err
}
