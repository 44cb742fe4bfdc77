package plugin

import (
	"context"
	"errors"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/instancemgmt"
	"github.com/grafana/grafana-plugin-sdk-go/backend/resource/httpadapter"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// ID is the plugin's id in Grafana.
const ID = "gpucloud-platform-datasource"

// Datasource is one configured data source. Grafana makes a new one whenever its settings change.
type Datasource struct {
	resources backend.CallResourceHandler
	metrics   metricsService
	tuning    tuningService
}

// metricsService is the metrics client, or why there is none.
type metricsService struct {
	client *metrics.Client
	// err is what is wrong with the service's settings.
	err error
	// configured tells whether anything of the service was set up at all.
	configured bool
	close      func()
}

// New makes a data source of its settings. Settings that can't be used are no error here, because Grafana would show only
// that the plugin failed: each request answers with what is wrong instead.
func New(ctx context.Context, from backend.DataSourceInstanceSettings) (instancemgmt.Instance, error) {
	ds := &Datasource{}
	s, err := loadSettings(ctx, from)
	if err != nil {
		ds.metrics = metricsService{err: err, configured: true}
		ds.tuning = tuningService{err: err, configured: true}
	} else {
		ds.metrics = newMetricsService(s)
		ds.tuning = newTuningService(s, from)
	}
	ds.resources = httpadapter.New(ds.routes())
	return ds, nil
}

func newMetricsService(s *settings) metricsService {
	base, err := s.metricsBase()
	if err == nil && s.monitoringToken == "" {
		err = settingsError("No monitoring token is set. Set it in the data source's settings, section Metrics.")
	}
	service := metricsService{err: err, configured: s.monitoringToken != ""}
	if err != nil {
		return service
	}
	client, err := transport.New(transport.Options{
		HTTP: s.http,
		Service: transport.Service{
			Title: "The metrics endpoint", Credential: "monitoring token", Section: "Metrics", Secrets: []string{s.monitoringToken},
		},
		Authorize:        transport.Bearer(s.monitoringToken),
		MaxResponseBytes: s.maxResponse,
	})
	if err != nil {
		service.err = settingsError("The TLS or proxy settings can't be used. Check the certificates in the data source's settings, section Advanced.")
		return service
	}
	service.close = client.Close
	service.client = metrics.New(metrics.Config{
		Transport:    client,
		Base:         base,
		Method:       s.httpMethod,
		Params:       s.customParams,
		QueryTimeout: s.queryTimeout,
		MinStep:      s.minStep,
	})
	return service
}

// Dispose is called when the settings have changed and this data source is no longer used.
func (ds *Datasource) Dispose() {
	if ds.metrics.close != nil {
		ds.metrics.close()
	}
	if ds.tuning.client != nil {
		ds.tuning.client.Close()
	}
}

// errCutShort is an answer that broke off after its head had gone out, so that no status can tell of it any more.
var errCutShort = errors.New("the answer broke off before its end")

// CallResource answers a resource. A handler that can't finish what it has begun to send panics with
// http.ErrAbortHandler, as handlers of net/http do; Grafana is then told that the answer is not whole.
func (ds *Datasource) CallResource(ctx context.Context, req *backend.CallResourceRequest, sender backend.CallResourceResponseSender) (err error) {
	defer func() {
		switch cause := recover(); cause {
		case nil:
		case http.ErrAbortHandler:
			err = errCutShort
		default:
			panic(cause)
		}
	}()
	return ds.resources.CallResource(ctx, req, sender)
}

// routes are the resources of this data source, an allow-list: whatever is not named here is a 404.
func (ds *Datasource) routes() http.Handler {
	mux := http.NewServeMux()
	ds.metrics.register(mux)
	ds.tuning.register(mux)
	return exactPaths(mux)
}
