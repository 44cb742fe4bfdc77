package prom

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// maxNames bounds a list of names or values: some 40 MB.
const maxNames = 500_000

// List lists label names, label values or series. Where the platform has no place for it, the list is derived by PromQL.
func (e *endpoint) List(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	defer promql.Stage("endpoint", e.stages.Source)()
	o := e.labelNames
	switch {
	case q.Series:
		o = e.series
	case q.Label != "":
		o = e.labelValues
	}
	if working, ok := o.working.Get(e.Now()); ok && working == nowhere {
		return e.derive(ctx, q)
	}
	list, err := e.fetchList(ctx, o, q)
	if !errors.Is(err, errNotServed) {
		return list, err
	}
	derived, err := e.derive(ctx, q)
	if err != nil {
		return nil, err
	}
	// The platform responds to queries now, but it may have been down at the first request.
	list, err = e.fetchList(ctx, o, q)
	if err == nil {
		return list, nil
	}
	if errors.Is(err, errNotServed) {
		o.working.Set(nowhere, e.Now())
	}
	return derived, nil
}

func (e *endpoint) fetchList(ctx context.Context, o *operation, q promql.ListQuery) (*promql.List, error) {
	most := maxNames
	if q.Series {
		most = e.Limits.Series
	}
	params := url.Values{"match[]": q.Matches}
	if !q.Start.IsZero() {
		params.Set("start", formatTime(q.Start))
	}
	if !q.End.IsZero() {
		params.Set("end", formatTime(q.End))
	}
	if q.Limit > 0 {
		params.Set("limit", strconv.Itoa(q.Limit))
	}
	list, err := fetch(ctx, e, o, params, q.Label, func(resp *http.Response) (*promql.List, error) {
		return promjson.DecodeList(resp.Body, q.Series, most, e.dropped...)
	})
	if err != nil {
		return nil, err
	}
	e.sanitize(list.Warnings, list.Infos)
	if o == e.labelNames {
		list.Names = slices.DeleteFunc(list.Names, func(name string) bool { return slices.Contains(e.dropped, name) })
	}
	return list, nil
}

// everySeries selects all series. A selector needs a matcher that the empty string does not match.
const everySeries = `{__name__!=""}`

// derive derives a list from the labels of the series that there are at its end, for deployments that do not serve it.
func (e *endpoint) derive(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	label := model.UnescapeName(q.Label, model.ValueEncodingEscaping)
	before, after := "", ""
	switch {
	case q.Series:
	case q.Label == "":
		// Of one series of each metric: the series of a metric rarely differ in their label names, and a query of all series would be
		// as large as the platform.
		before, after = "topk by (__name__) (1, ", ")"
	default:
		grouping := label
		if !model.LegacyValidation.IsValidLabelName(label) {
			grouping = strconv.Quote(label)
		}
		before, after = "group by ("+grouping+") (", ")"
	}
	end := q.End
	if now := e.Now(); end.IsZero() || end.After(now) {
		end = now
	}
	matches := q.Matches
	if len(matches) == 0 {
		matches = []string{everySeries}
	}
	list, found, names := &promql.List{}, map[string]data.Labels{}, map[string]bool{}
	for _, selector := range matches {
		result, err := e.Evaluate(ctx, promql.Query{Expr: before + selector + after}.At(end))
		if err != nil {
			return nil, err
		}
		list.Warnings = promql.Union(list.Warnings, result.Warnings)
		for _, s := range result.Matrix.Series { // several selectors may match one
			found[s.Key] = s.Labels
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		switch of := found[key]; {
		case q.Series:
			list.Series = append(list.Series, of)
		case q.Label == "":
			for name := range of {
				names[name] = true
			}
		case of[label] != "":
			names[of[label]] = true
		}
	}
	list.Names = slices.Sorted(maps.Keys(names))
	return list.First(q.Limit), nil
}
