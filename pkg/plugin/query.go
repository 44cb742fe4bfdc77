package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

// maxParallelQueries bounds how many queries of one request are under way at a time.
const maxParallelQueries = 8

// request is one query together with what its whole request tells.
type request struct {
	backend.DataQuery
	// plain asks for wide frames whatever the query's format: alert rules and server-side expressions can't use tables.
	plain bool
}

// handler answers queries of one type.
type handler struct {
	service string
	answer  func(context.Context, request) (data.Frames, error)
}

// newHandlers makes the table of query types. No type at all means PromQL, as in Grafana's Prometheus queries.
func (ds *Datasource) newHandlers() map[string]handler {
	promQL := handler{"metrics", ds.metrics.answering((*promclient.Client).QueryData)}
	handlers := map[string]handler{
		"":        promQL,
		"metrics": promQL,
	}
	for _, queryType := range platform.QueryTypes() {
		handlers[queryType] = handler{"main", ds.platform.answering(func(c *platform.Client, ctx context.Context, q backend.DataQuery, alerting bool) (data.Frames, error) {
			return c.QueryData(ctx, queryType, q, alerting)
		})}
	}
	for _, queryType := range tuning.QueryTypes() {
		handlers[queryType] = handler{"tuning", ds.tuning.answering(queryType)}
	}
	return handlers
}

// QueryData answers the queries of one request side by side; the failure of one leaves the others whole. A request that was
// canceled has no answers: the SDK would log each as an error.
func (ds *Datasource) QueryData(ctx context.Context, req *backend.QueryDataRequest) (*backend.QueryDataResponse, error) {
	ctx, leave := process.join(ctx)
	defer leave()
	plain := req.GetHTTPHeader(backend.FromAlertHeaderName) != "" || req.Headers[backend.FromAlertHeaderName] != "" ||
		req.GetHTTPHeader(fromExpressionHeader) != ""
	ctx = withCacheControl(ctx, req.GetHTTPHeaders(), req.Headers)
	answers := make([]backend.DataResponse, len(req.Queries))
	refused := oversized(req.Queries)
	var group errgroup.Group
	group.SetLimit(maxParallelQueries)
	for i, q := range req.Queries {
		if refused[i] != nil {
			answers[i] = errorResponse(refused[i])
			continue
		}
		group.Go(func() error {
			answers[i] = ds.answer(ctx, request{q, plain})
			return nil
		})
	}
	_ = group.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, context.Canceled) {
		return nil, cause
	}
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
		if recover() != nil {
			answer = errorResponse(panics.Recovered(ctx, "A query panicked", "refId", r.RefID))
		}
	}()
	leave, err := ds.admission.enter(ctx)
	if err != nil {
		return errorResponse(why(ctx, err))
	}
	defer leave()
	chosen, err := ds.handler(r.DataQuery)
	if err != nil {
		return errorResponse(err)
	}
	frames, err := observed(ctx, r, chosen.service, chosen.answer)
	if err != nil {
		return errorResponse(why(ctx, err))
	}
	return backend.DataResponse{Frames: frames, Status: backend.StatusOK}
}

// handler chooses by the query's type. Queries of old Prometheus panels can carry a type that meant something to the panel's
// data source before that; where there is an expression, such a type is ignored.
func (ds *Datasource) handler(q backend.DataQuery) (handler, error) {
	var saved struct {
		QueryType string `json:"queryType"`
		Expr      string `json:"expr"`
	}
	// A query that can't be read is its service's to explain.
	_ = json.Unmarshal(q.JSON, &saved)
	// Grafana repeats the type outside the JSON, but not for every caller.
	queryType := cmp.Or(saved.QueryType, q.QueryType)
	if known, ok := ds.handlers[queryType]; ok {
		return known, nil
	}
	if saved.Expr != "" {
		return ds.handlers[""], nil
	}
	return handler{}, query.UnknownType(queryType)
}
