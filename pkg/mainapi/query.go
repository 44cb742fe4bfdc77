package mainapi

import (
	"context"
	"maps"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// request is what queries of all types have. Nobody changes it; notices about the result are added to its notices.
type request struct {
	timeRange backend.TimeRange
	// alerting is set if an alert rule or an expression evaluates the result.
	alerting bool
	notices  *query.Notices
}

// handler runs queries of one type.
type handler func(*Client, context.Context, request, backend.DataQuery) (data.Frames, error)

// handle makes a handler of a function of parsed options.
func handle[T query.Options[T]](run func(*Client, context.Context, request, T) (data.Frames, error)) handler {
	return func(c *Client, ctx context.Context, q request, saved backend.DataQuery) (data.Frames, error) {
		options, err := query.Parse[T](saved, q.alerting)
		if err != nil {
			return nil, err
		}
		return run(c, ctx, q, options)
	}
}

// handlers are the query types of this package.
var handlers = map[string]handler{
	"capacities": handle((*Client).queryCapacities),
	"platform":   handle((*Client).queryList),
}

// QueryTypes are the query types of this package, sorted.
func QueryTypes() []string { return slices.Sorted(maps.Keys(handlers)) }

// QueryData runs a saved query. There is at least one frame, and the first has the notices.
//
// With alerting set, for alert rules and server-side expressions, frames are numbers where the query's format is a table.
// Errors are *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, queryType string, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	run, ok := handlers[queryType]
	if !ok {
		return nil, query.UnknownType(queryType)
	}
	q := request{timeRange: saved.TimeRange, alerting: alerting, notices: &query.Notices{}}
	frames, err := run(c, ctx, q, saved)
	if err != nil {
		return nil, err
	}
	return query.Finish(frames, saved.RefID, alerting, *q.notices)
}
