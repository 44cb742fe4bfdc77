// Package plugin implements the data source for Grafana: settings, queries, resources and health checks.
//
// It reads the settings, makes a client for each configured service of the platform, dispatches each query by its type, and
// maps errors to Grafana's statuses and error sources. PromQL, signing and the services' formats are in other packages.
package plugin

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/instancemgmt"
	"github.com/grafana/grafana-plugin-sdk-go/backend/resource/httpadapter"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
)

// ID is the plugin's id in Grafana.
const ID = "gpucloud-platform-datasource"

// Datasource is a data source. Grafana makes a new one after each change of its settings.
type Datasource struct {
	resources backend.CallResourceHandler
	metrics   service[*prom.Client]
	gateway   service[*jobs.Client]
	mainAPI   service[*mainapi.Client]
	runs      *runs.Client
	placement *placement.Client
	handlers  map[string]handler
	admission *admission
}

// New makes a data source. It returns no error for invalid settings, because Grafana would show only that the plugin failed.
// Instead, each request fails with the message.
func New(ctx context.Context, from backend.DataSourceInstanceSettings) (instancemgmt.Instance, error) {
	return newDatasource(loadSettings(ctx, from)), nil
}

func newDatasource(s *settings) *Datasource {
	ds := &Datasource{
		metrics: newService(s, s.secret("monitoringToken") != "", newMetrics),
		gateway: newService(s, s.secret("inferenceApiKey") != "" || s.IntelligenceURL != "", newGateway),
		mainAPI: newService(s, s.secret("secretKey") != "" || s.AccessKeyID != "", newMainAPI),
	}
	if ds.metrics.configured || ds.gateway.configured || ds.mainAPI.configured {
		ds.gateway.besideOthers()
		ds.mainAPI.besideOthers()
	}
	ds.runs = &runs.Client{MetricsErr: ds.metrics.err, JobsErr: ds.gateway.err}
	ds.placement = &placement.Client{MetricsErr: ds.metrics.err, ListsErr: ds.mainAPI.err, Now: time.Now}
	if ds.metrics.err == nil {
		ds.runs.Metrics = ds.metrics.client
		ds.placement.Metrics, ds.placement.Interval = ds.metrics.client, ds.metrics.client.MinStep
	}
	if ds.gateway.err == nil {
		ds.runs.Jobs = ds.gateway.client
	}
	if ds.mainAPI.err == nil {
		ds.placement.Lists = ds.mainAPI.client
	}
	ds.runs.Prices, ds.runs.PricesErr = runs.ParsePrices(s.Prices)
	ds.handlers = ds.newHandlers()
	ds.admission = newAdmission(ds.handlers, s.timeout())
	ds.resources = httpadapter.New(ds.routes())
	return ds
}

// Dispose is called after a change of the settings, when this data source is no longer used.
func (ds *Datasource) Dispose() { ds.each(serviceClient.Close) }

// each calls a function with the client of each service that has one.
func (ds *Datasource) each(do func(serviceClient)) {
	ds.metrics.with(do)
	ds.gateway.with(do)
	ds.mainAPI.with(do)
}

// errTruncated is the error of a response that failed after its header was sent, so that the status could not report it.
var errTruncated = errors.New("the response broke off before its end")

// CallResource serves a resource. A handler that fails within the body panics with http.ErrAbortHandler, as handlers of
// net/http do, and Grafana gets an error. Any other panic is recovered here, because the SDK would log its value and send it.
func (ds *Datasource) CallResource(ctx context.Context, req *backend.CallResourceRequest, sender backend.CallResourceResponseSender) (err error) {
	defer func() {
		switch cause := recover(); cause {
		case nil:
		case http.ErrAbortHandler:
			err = errTruncated
		default:
			err = panics.Recovered(ctx, "A resource panicked")
		}
	}()
	// As the SDK's adapter makes it, of which it would be an internal error if it can't be made.
	asked, err := http.NewRequestWithContext(ctx, req.Method, "/"+strings.TrimPrefix(req.Path, "/"), nil)
	if err != nil || path.Clean(asked.URL.Path) != asked.URL.Path {
		// No resource is there, nor where http.ServeMux would redirect to a cleaned path, because no client needs such paths.
		return sender.Send(&backend.CallResourceResponse{Status: http.StatusNotFound, Body: []byte("404 page not found\n")})
	}
	return ds.resources.CallResource(ctx, req, sender)
}

// routes serves the resources of this data source. Any other path is a 404.
func (ds *Datasource) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range ds.resourceHandlers() {
		mux.HandleFunc(pattern, handle)
	}
	return mux
}

func (ds *Datasource) resourceHandlers() map[string]http.HandlerFunc {
	all := map[string]http.HandlerFunc{"POST /cache/refresh": editorsOnly("Refreshing the cache", ds.refreshCache)}
	maps.Copy(all, ds.metricsResources())
	maps.Copy(all, ds.gatewayResources())
	return all
}
