package plugin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/instancemgmt"
	"github.com/grafana/grafana-plugin-sdk-go/backend/resource/httpadapter"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/training"
)

// ID is the plugin's id in Grafana.
const ID = "gpucloud-platform-datasource"

// Datasource is a data source. Grafana makes a new one after each change of its settings.
type Datasource struct {
	resources backend.CallResourceHandler
	metrics   metricsService
	tuning    tuningService
	platform  service[*platform.Client]
	runs      *runs.Client
	training  *training.Client
	placement *placement.Client
	// handlers are the handlers of queries, by query type.
	handlers  map[string]handler
	admission *admission
}

// New makes a data source. It returns no error for invalid settings, because Grafana would show only that the plugin failed.
// Instead, each request fails with the message.
func New(ctx context.Context, from backend.DataSourceInstanceSettings) (instancemgmt.Instance, error) {
	ds := &Datasource{}
	s, err := loadSettings(ctx, from)
	if err != nil {
		ds.admission = newAdmission(0)
		ds.metrics.err, ds.tuning.err, ds.platform.err = err, err, err
		ds.metrics.configured, ds.tuning.configured, ds.platform.configured = true, true, true
	} else {
		var timeout time.Duration
		if s.http.Timeouts != nil {
			timeout = s.http.Timeouts.Timeout
		}
		ds.admission = newAdmission(timeout)
		ds.metrics = newMetricsService(s)
		ds.tuning = newTuningService(s, from)
		ds.platform = newPlatformService(s)
	}
	ds.runs = newRunsClient(s, ds.metrics, ds.tuning)
	ds.training = &training.Client{Metrics: ds.metrics.client, MetricsErr: ds.metrics.err, Jobs: ds.tuning.client, JobsErr: ds.tuning.err}
	ds.placement = &placement.Client{Metrics: ds.metrics.client, MetricsErr: ds.metrics.err, Lists: ds.platform.client, ListsErr: ds.platform.err}
	ds.handlers = ds.newHandlers()
	ds.resources = httpadapter.New(ds.routes())
	return ds, nil
}

// Dispose is called after a change of the settings, when this data source is no longer used.
func (ds *Datasource) Dispose() {
	ds.metrics.close()
	ds.tuning.close()
	ds.platform.close()
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
	ctx, release := inFlight.track(ctx)
	defer release()
	return ds.resources.CallResource(ctx, req, sender)
}

// router registers the resources of the services. *http.ServeMux is one.
type router interface {
	HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request))
}

// routes are the resources of this data source. Any other path is a 404.
func (ds *Datasource) routes() http.Handler {
	mux := http.NewServeMux()
	ds.metrics.register(mux)
	ds.tuning.register(mux)
	ds.registerCache(mux)
	return exactPaths(mux)
}
