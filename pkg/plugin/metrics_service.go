package plugin

import (
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// metricsService is the client of the metrics endpoint, and of its archive.
type metricsService struct {
	service[*prom.Client]
	// queries admits the requests to the Prometheus HTTP API, and large bounds their responses.
	queries *admission
	large   *streams
}

func newMetricsService(s *settings) metricsService {
	base, err := s.metricsBase()
	if err == nil && s.monitoringToken == "" {
		err = settingsError("No monitoring token is set. Set it in the data source's settings, section Metrics.")
	}
	if err == nil {
		err = headerValueError("monitoring token", s.monitoringToken, "Metrics")
	}
	var (
		archive   *prom.Archive
		retention time.Duration
	)
	if err == nil {
		retention, err = s.archive.platformRetention()
	}
	if err == nil {
		// Without the archive, queries of older samples would have no result and no error.
		archive, err = newArchive(s)
	}
	service := metricsService{service: service[*prom.Client]{err: err, configured: s.monitoringToken != ""}}
	if err != nil {
		return service
	}
	client, err := transport.New(transportOptions(s, transport.Service{
		Name: "metrics", Title: "The metrics endpoint", Credential: "monitoring token", Section: "Metrics",
		Secrets: []string{s.monitoringToken}, Host: base.Host,
	}, transport.Bearer(s.monitoringToken)))
	if err != nil {
		service.err = errTLS
		return service
	}
	service.client = prom.New(prom.Config{
		Transport:    client,
		Base:         base,
		Method:       s.httpMethod,
		Params:       s.customParams,
		QueryTimeout: s.queryTimeout,
		MinStep:      s.minStep,
		Cache:        s.cache,
		Limits:       s.limits,
		Retention:    retention,
		Archive:      archive,
	})
	return service
}

// hasArchive reports whether there is an archive of metrics.
func (s *metricsService) hasArchive() bool { return s.hasClient() && s.client.Archive != nil }
