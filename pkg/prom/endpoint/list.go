package endpoint

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"

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

func (c *Client) fetchList(ctx context.Context, o *operation, q promql.ListQuery) (list *promql.List, err error) {
	most := maxNames
	if q.Kind == promql.SeriesLabels {
		most = c.Limits.Series
	}
	err = c.fetch(ctx, o, maps.Clone(q.Params), q.Label, func(body io.Reader, _ *http.Response) (err error) {
		list, err = promjson.DecodeList(body, q.Kind, most)
		var over *promql.LimitError
		if errors.As(err, &over) {
			err = tooLong(over)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.sanitize(list.Warnings, list.Infos)
	return list, nil
}
