package mainapi

import (
	"context"
	"maps"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// request is a saved query. Nobody changes it; notices about the result are added to its notices.
type request struct {
	backend.DataQuery
	// numeric is set if the result has to be numbers.
	numeric bool
	notices *query.Notices
}

// handlers are the query types of this package.
var handlers = map[string]func(*Client, context.Context, request) (data.Frames, error){
	"capacities": (*Client).queryCapacities,
	"platform":   (*Client).queryList,
}

// QueryTypes are the query types of this package, sorted.
func QueryTypes() []string { return slices.Sorted(maps.Keys(handlers)) }

// QueryData runs a saved query of one of [QueryTypes]. There is at least one frame, and the first has the notices.
//
// With alerting set, for alert rules and server-side expressions, nothing may be left out, and for the former frames are numbers
// where the query's format is a table.
// Errors are *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	run, ok := handlers[saved.QueryType]
	if !ok {
		return nil, query.UnknownType(saved.QueryType)
	}
	q := request{saved, query.IsNumeric(ctx, alerting), &query.Notices{}}
	frames, err := run(c, ctx, q)
	if err != nil {
		return nil, err
	}
	return query.Finish(ctx, frames, saved.RefID, alerting, *q.notices)
}
