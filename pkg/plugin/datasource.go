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
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
)

// ID is the plugin's id in Grafana.
const ID = "gpucloud-platform-datasource"

// Datasource is one configured data source. Grafana makes a new one whenever its settings change.
type Datasource struct {
	resources backend.CallResourceHandler
	metrics   metricsService
	tuning    tuningService
	platform  service[*platform.Client]
	// handlers are the handlers of queries, by query type.
	handlers  map[string]handler
	admission *admission
}

// New makes a data source of its settings. Settings that can't be used are no error here, because Grafana would show only
// that the plugin failed: each request answers with what is wrong instead.
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
	ds.handlers = ds.newHandlers()
	ds.resources = httpadapter.New(ds.routes())
	return ds, nil
}

// Dispose is called when the settings have changed and this data source is no longer used.
func (ds *Datasource) Dispose() {
	ds.metrics.close()
	ds.tuning.close()
	ds.platform.close()
}

// errCutShort is an answer that broke off after its head had gone out, so that no status can tell of it any more.
var errCutShort = errors.New("the answer broke off before its end")

// CallResource answers a resource. A handler that can't finish what it has begun to send panics with
// http.ErrAbortHandler, as handlers of net/http do; Grafana is then told that the answer is not whole. Any other panic is
// not left to the SDK, which would log and answer with its value.
func (ds *Datasource) CallResource(ctx context.Context, req *backend.CallResourceRequest, sender backend.CallResourceResponseSender) (err error) {
	defer func() {
		switch cause := recover(); cause {
		case nil:
		case http.ErrAbortHandler:
			err = errCutShort
		default:
			err = panics.Recovered(ctx, "A resource panicked")
		}
	}()
	ctx, leave := process.join(ctx)
	defer leave()
	return ds.resources.CallResource(ctx, req, sender)
}

// registry takes the resources of the services; an *http.ServeMux is one.
type registry interface {
	HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request))
}

// routes are the resources of this data source, an allow-list: whatever is not named here is a 404.
func (ds *Datasource) routes() http.Handler {
	mux := http.NewServeMux()
	ds.metrics.register(mux)
	ds.tuning.register(mux)
	ds.registerCache(mux)
	return exactPaths(mux)
}
