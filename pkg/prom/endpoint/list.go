package endpoint

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// List lists label names, label values, series or metadata. Where the platform has no place for it, the list is derived by PromQL.
func (c *Client) List(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	defer promql.Stage("endpoint", c.Source)()
	o := c.lists[q.Kind]
	if working, ok := o.working.Get(c.Now()); ok && working == nowhere {
		return c.derive(ctx, q)
	}
	list, err := c.fetchList(ctx, o, q)
	if !errors.Is(err, errNotServed) {
		return list, err
	}
	derived, err := c.derive(ctx, q)
	if err != nil {
		return nil, err
	}
	// The platform responds to queries now, but it may have been down at the first request.
	list, err = c.fetchList(ctx, o, q)
	if err == nil {
		return list, nil
	}
	if errors.Is(err, errNotServed) {
		o.working.Set(nowhere, c.Now())
	}
	return derived, nil
}

func listParams(q promql.ListQuery) url.Values {
	all := url.Values{"match[]": q.Matches}
	if q.Metric != "" {
		all.Set("metric", q.Metric)
	}
	if !q.Start.IsZero() {
		all.Set("start", formatTime(q.Start))
	}
	if !q.End.IsZero() {
		all.Set("end", formatTime(q.End))
	}
	return withLimit(all, q.Limit)
}

func (c *Client) fetchList(ctx context.Context, o *operation, q promql.ListQuery) (*promql.List, error) {
	most := maxNames
	if q.Kind == promql.SeriesLabels {
		most = c.Limits.Series
	}
	return fetch(ctx, c, o, listParams(q), q.Label, func(body io.Reader, _ *http.Response) (*promql.List, error) {
		list, err := promjson.DecodeList(body, q.Kind, most)
		var over *promql.LimitError
		if errors.As(err, &over) {
			return nil, tooLong(over)
		}
		if err == nil {
			c.sanitize(list.Warnings, list.Infos)
		}
		return list, err
	})
}
