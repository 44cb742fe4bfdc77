package prom

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// maxNames bounds a list of names or values: some 40 MB.
const maxNames = 500_000

// List lists label names, label values or series. Where the platform has no place for it, the list is derived by PromQL.
func (e *endpoint) List(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	defer promql.Stage("endpoint", e.source)()
	o := e.lists[q.Kind]
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

func listParams(q promql.ListQuery) url.Values {
	all := url.Values{"match[]": q.Matches}
	if !q.Start.IsZero() {
		all.Set("start", formatTime(q.Start))
	}
	if !q.End.IsZero() {
		all.Set("end", formatTime(q.End))
	}
	return withLimit(all, q.Limit)
}

func (e *endpoint) fetchList(ctx context.Context, o *operation, q promql.ListQuery) (*promql.List, error) {
	most := maxNames
	if q.Kind == promql.SeriesLabels {
		most = e.Limits.Series
	}
	return fetch(ctx, e, o, listParams(q), q.Label, func(body io.Reader, _ *http.Response) (*promql.List, error) {
		list, err := promjson.DecodeList(body, q.Kind, most)
		if err == nil {
			e.sanitize(list.Warnings, list.Infos)
		}
		return list, err
	})
}
