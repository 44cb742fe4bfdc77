package mainapi

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	defaultRoot     = "items"
	defaultMaxPages = 10
	pageLimit       = 100
)

// listOptions are those of a list.
type listOptions struct {
	Path   string  `json:"path"`
	Params []param `json:"params"`
	// Root is the way to the items: names of members, joined by dots.
	Root string `json:"root"`
	filterModel
	Columns    []columnModel `json:"columns"`
	MaxPages   query.Number  `json:"maxPages"`
	TimeColumn string        `json:"timeColumn"`
}

// param is a parameter of the request.
type param struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// queryList is any list below /v1, with a row for each item. With a time column it is time series of the numbers, labeled by the
// columns of text. With alerting set and without a time column it is a number for each item, labeled by the columns of text.
//
// {projectId} and {organizationId} in the path stand for the ids of the settings, "$__timeFrom()" and "$__timeTo()" in
// parameters for the time range, in RFC 3339.
func (c *Client) queryList(ctx context.Context, q request) (data.Frames, error) {
	o, err := query.Parse[listOptions](q.DataQuery)
	if err != nil {
		return nil, err
	}
	return c.query(ctx, q, o)
}

// query reads a list, and makes its frames.
func (c *Client) query(ctx context.Context, q request, saved listOptions) (data.Frames, error) {
	o, err := saved.parsed()
	if err != nil {
		return nil, err
	}
	path, err := c.expandPath(o.Path)
	if err != nil {
		return nil, err
	}
	if q.notices.Blank("Filter", o.Values) {
		return o.frames(ctx, &list{}, q)
	}
	params, err := o.values(q.TimeRange)
	if err != nil {
		return nil, err
	}
	found, err := c.read(ctx, path, params, o.Root, int(o.MaxPages))
	if err != nil {
		return nil, explainNotFound(o.Path, err)
	}
	frames, err := o.frames(ctx, found, q)
	return frames, c.explain(err)
}

// frames makes the frames of a list. Its error is a *query.Error, or the context's.
func (o listOptions) frames(ctx context.Context, found *list, q request) (data.Frames, error) {
	found.addNotices(q.notices)
	columns := o.Columns
	if len(columns) == 0 {
		var err error
		if columns, err = found.scalarColumns(ctx, o.filterModel, q.notices); err != nil {
			return nil, err
		}
	}
	columns = o.withTimeColumn(columns)
	values, err := found.cells(ctx, columns, o.filterModel)
	if err != nil {
		return nil, err
	}
	if q.numeric && o.TimeColumn == "" && len(columns) > 0 && len(values[0])*(len(columns)-1) > maxLabels {
		return nil, &query.Error{Field: "Columns", Message: fmt.Sprintf("alert rules and expressions take a list with %d labels at most, and %d items with %d columns "+
			"beside the number have more. Choose fewer columns.", maxLabels, len(values[0]), len(columns)-1)}
	}
	table, err := found.tableFrame(ctx, columns, values, q.notices)
	switch {
	case err != nil:
		return nil, err
	case o.TimeColumn != "":
		return timeSeries(table, o.TimeColumn, q.notices)
	case q.numeric:
		return numericFrames(table)
	}
	return data.Frames{table}, nil
}

// parsed returns valid options, but for the path, which may have ids of the settings.
func (o listOptions) parsed() (listOptions, error) {
	o.Root = cmp.Or(o.Root, defaultRoot)
	if o.MaxPages < 1 {
		o.MaxPages = defaultMaxPages
	}
	o.MaxPages = min(o.MaxPages, pageLimit)
	if err := cmp.Or(query.AtMost("Parameters", "there are %d", len(o.Params), maxParams), query.AtMost("Columns", "there are %d", len(o.Columns), maxColumns)); err != nil {
		return o, err
	}
	for _, column := range o.Columns {
		if err := column.check(); err != nil {
			return o, err
		}
	}
	return o, cmp.Or(query.AtMost("Path", "it is %d bytes long", len(o.Path), maxPathBytes), checkMember("Root", "it is", o.Root), checkMember("Filter", "it is", o.Member), checkMember("Time column", "it is", o.TimeColumn))
}

// values are the parameters of the request. Its error is a *query.Error.
func (o listOptions) values(span backend.TimeRange) (url.Values, error) {
	macros := strings.NewReplacer(
		"$__timeFrom()", span.From.UTC().Format(time.RFC3339),
		"$__timeTo()", span.To.UTC().Format(time.RFC3339))
	params, length := url.Values{}, 0
	for _, param := range o.Params {
		if param.Name != "" {
			value := macros.Replace(param.Value)
			length += len(param.Name) + len(value)
			params.Add(param.Name, value)
		}
	}
	return params, query.AtMost("Parameters", "they are %d bytes long", length, maxParamBytes)
}

// withTimeColumn adds the time column if it is missing, and sets its type.
func (o listOptions) withTimeColumn(columns []columnModel) []columnModel {
	if o.TimeColumn == "" {
		return columns
	}
	columns = slices.Clone(columns)
	for i := range columns {
		if columns[i].title() == o.TimeColumn {
			columns[i].Type = typeTime
			return columns
		}
	}
	return append(columns, columnModel{Selector: o.TimeColumn, Type: typeTime})
}
