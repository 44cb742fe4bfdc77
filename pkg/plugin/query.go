package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const maxParallelQueries = 8

// runQuery runs a saved query of a type that a service has. alerting is true for alert rules and server-side expressions, of whose results
// nothing may be left out.
type runQuery func(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error)

type handler struct {
	service, queryType string
	run                runQuery
	// err is the error of the service's settings, or nil.
	err error
}

const (
	metricsQueries = "metrics"
	gatewayQueries = "gateway"
)

// newHandlers makes the table of query types. The default is PromQL, as in queries of Grafana's Prometheus data source.
func (ds *Datasource) newHandlers() map[string]handler {
	handlers := map[string]handler{}
	add := func(service string, run runQuery, err error, types ...string) {
		for _, queryType := range types {
			handlers[queryType] = handler{service, queryType, run, err}
		}
	}
	add(metricsQueries, ds.metrics.client.QueryData, ds.metrics.err, "", "metrics")
	add(gatewayQueries, ds.gateway.client.QueryData, ds.gateway.err, jobs.QueryTypes()...)
	add("mainapi", ds.mainAPI.client.QueryData, ds.mainAPI.err, mainapi.QueryTypes()...)
	add("runs", ds.runs.QueryData, nil, runs.QueryTypes()...)
	add("placement", ds.placement.QueryData, nil, placement.QueryType)
	return handlers
}

// QueryData runs the queries of one request concurrently, each with an equal share of [transport.MaxRequests]. A failed query does not
// affect the others. It returns no responses to a canceled request, because the SDK would log each of them as an error.
func (ds *Datasource) QueryData(ctx context.Context, req *backend.QueryDataRequest) (*backend.QueryDataResponse, error) {
	alerting, inPanel := false, req.GetHTTPHeader(dashboardHeader) != ""
	switch {
	case req.GetHTTPHeader(backend.FromAlertHeaderName) != "" || req.Headers[backend.FromAlertHeaderName] != "":
		alerting, inPanel, ctx = true, false, transport.Alerting(ctx)
	case req.GetHTTPHeader(fromExpressionHeader) != "":
		alerting, inPanel, ctx = true, false, query.OfExpression(ctx)
	}
	responses := make([]backend.DataResponse, len(req.Queries))
	share := transport.MaxRequests / max(1, min(len(req.Queries), maxRequestQueries))
	group, _ := panics.NewGroup(ctx)
	group.SetLimit(maxParallelQueries)
	size := 0
	for i, q := range req.Queries {
		if size += len(q.JSON); i >= maxRequestQueries || size > maxRequestBytes || len(q.RefID) > maxRefID {
			responses[i] = errorResponse(errRequestSize)
			continue
		}
		group.Go(func() error {
			responses[i] = ds.run(transport.WithBudget(ctx, share), q, alerting, inPanel)
			return nil
		})
	}
	_ = group.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, context.Canceled) {
		return nil, cause
	}
	response := backend.NewQueryDataResponse()
	for i, q := range req.Queries {
		response.Responses[q.RefID] = responses[i]
	}
	return response, nil
}

// withoutService is the result of a query of a dashboard to a service that is not set up: nothing, which a notice says. The dashboards have
// panels of all services, and many use one of them.
func withoutService(ctx context.Context, q backend.DataQuery, missing notSetUp) backend.DataResponse {
	nothing := append(jobs.WithoutGateway(q), runs.WithoutRuns(q)...)
	frames, err := query.Finish(ctx, nothing, q.RefID, false, query.Notices{{Severity: data.NoticeSeverityInfo, Text: missing.Error()}})
	return backend.DataResponse{Frames: frames, Error: err, Status: backend.StatusOK}
}

// dashboardHeader names the dashboard in requests of its panels.
const dashboardHeader = "X-Dashboard-Uid"

// fromExpressionHeader is set in requests of server-side expressions.
const fromExpressionHeader = "X-Grafana-From-Expr"

func (ds *Datasource) run(ctx context.Context, q backend.DataQuery, alerting, inPanel bool) (response backend.DataResponse) {
	chosen, err := ds.handler(q)
	if err != nil {
		return errorResponse(err)
	}
	if q.TimeRange.To.Before(q.TimeRange.From) {
		return errorResponse(&query.Error{Field: "Time range", Message: "it ends before it starts."})
	}
	release, err := ds.admission.acquire(ctx, chosen.service, len(q.JSON))
	if err != nil {
		return errorResponse(err)
	}
	defer release()
	q.QueryType = chosen.queryType // not every caller sets it outside of the JSON
	ctx, observe := instrument(ctx, q.RefID, chosen.service)
	defer func() {
		var missing notSetUp
		switch observe(err); {
		case inPanel && errors.As(err, &missing):
			response = withoutService(ctx, q, missing)
		case err != nil:
			response = errorResponse(err)
		}
	}()
	if err = chosen.err; err != nil {
		return response
	}
	defer panics.Catch(ctx, "A query panicked", &err)
	frames, err := chosen.run(ctx, q, alerting)
	err = cmp.Or(err, checkText(frames))
	return backend.DataResponse{Frames: frames, Status: backend.StatusOK}
}

// handler chooses the handler of a query. It ignores an unknown type if there is an expression, because old panels may have
// the query type of another data source.
func (ds *Datasource) handler(q backend.DataQuery) (handler, error) {
	var saved struct {
		QueryType string `json:"queryType"`
		Expr      string `json:"expr"`
	}
	// The handler reports invalid JSON.
	_ = json.Unmarshal(q.JSON, &saved)
	queryType := cmp.Or(saved.QueryType, q.QueryType)
	if known, ok := ds.handlers[queryType]; ok {
		return known, nil
	}
	if saved.Expr != "" {
		return ds.handlers[""], nil
	}
	return handler{}, query.UnknownType(queryType)
}
