package platform

import (
	"context"
	"maps"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// handler runs queries of one type. It returns frames, and warnings about them. alerting is that of [Client.QueryData].
type handler func(c *Client, ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, []string, error)

// handlers are the query types of this package.
var handlers = map[string]handler{
	"capacities": (*Client).queryCapacities,
	"platform":   (*Client).queryList,
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
	frames, warnings, err := run(c, ctx, saved, alerting)
	if err != nil {
		return nil, err
	}
	notices := make([]data.Notice, 0, len(warnings))
	for _, text := range warnings {
		notices = append(notices, data.Notice{Severity: data.NoticeSeverityWarning, Text: text})
	}
	query.DropEmptyFields(frames)
	return query.Finish(frames, saved.RefID, notices), nil
}
