package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/metrics"
)

// maxParallelQueries bounds how many queries of one request are under way at a time.
const maxParallelQueries = 8

// request is one query together with what its whole request tells.
type request struct {
	backend.DataQuery
	// plain asks for wide frames whatever the query's format: alert rules and server-side expressions can't use tables.
	plain bool
}

// handlers name the service that answers each query type. No type at all means PromQL, as in Grafana's Prometheus queries.
func (ds *Datasource) handlers() map[string]func(context.Context, request) (data.Frames, error) {
	return map[string]func(context.Context, request) (data.Frames, error){
		"":        ds.metrics.query,
		"metrics": ds.metrics.query,
	}
}

// QueryData answers the queries of one request side by side; the failure of one leaves the others whole.
func (ds *Datasource) QueryData(ctx context.Context, req *backend.QueryDataRequest) (*backend.QueryDataResponse, error) {
	plain := req.GetHTTPHeader(backend.FromAlertHeaderName) != "" || req.Headers[backend.FromAlertHeaderName] != "" ||
		req.GetHTTPHeader(fromExpressionHeader) != ""
	answers := make([]backend.DataResponse, len(req.Queries))
	var group errgroup.Group
	group.SetLimit(maxParallelQueries)
	for i, q := range req.Queries {
		group.Go(func() error {
			answers[i] = ds.answer(ctx, request{q, plain})
			return nil
		})
	}
	_ = group.Wait()
	response := backend.NewQueryDataResponse()
	for i, q := range req.Queries {
		response.Responses[q.RefID] = answers[i]
	}
	return response, nil
}

// fromExpressionHeader marks requests that a server-side expression makes.
const fromExpressionHeader = "X-Grafana-From-Expr"

func (ds *Datasource) answer(ctx context.Context, r request) (answer backend.DataResponse) {
	defer func() {
		if cause := recover(); cause != nil {
			log.DefaultLogger.FromContext(ctx).Error("A query panicked", "refId", r.RefID, "stack", string(debug.Stack()))
			answer = errorResponse(fmt.Errorf("an unexpected error stopped this query; Grafana's log has the details"))
		}
	}()
	handle, ok := ds.handlers()[queryType(r.DataQuery)]
	if !ok {
		return errorResponse(&metrics.QueryError{Field: "Query type",
			Message: fmt.Sprintf("%q is not known to this version of the plugin.", queryType(r.DataQuery))})
	}
	frames, err := handle(ctx, r)
	if err != nil {
		return errorResponse(err)
	}
	return backend.DataResponse{Frames: frames, Status: backend.StatusOK}
}

// queryType is the query's own; Grafana repeats it outside the JSON, but not for every caller.
func queryType(q backend.DataQuery) string {
	var saved struct {
		QueryType string `json:"queryType"`
	}
	if json.Unmarshal(q.JSON, &saved) == nil && saved.QueryType != "" {
		return saved.QueryType
	}
	return q.QueryType
}

func (s *metricsService) query(ctx context.Context, r request) (data.Frames, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.client.QueryData(ctx, r.DataQuery, r.plain)
}
