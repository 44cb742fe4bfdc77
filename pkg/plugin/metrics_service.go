package plugin

import (
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// metricsService is the client of the metrics endpoint, and of its archive.
type metricsService struct{ service[*promclient.Client] }

func newMetricsService(s *settings) metricsService {
	base, err := s.metricsBase()
	if err == nil && s.monitoringToken == "" {
		err = settingsError("No monitoring token is set. Set it in the data source's settings, section Metrics.")
	}
	if err == nil {
		err = headerValueError("monitoring token", s.monitoringToken, "Metrics")
	}
	var archive *promclient.Archive
	if err == nil {
		// Without the archive, queries of older samples would have no result and no error.
		archive, err = newArchive(s)
	}
	service := metricsService{service[*promclient.Client]{err: err, configured: s.monitoringToken != ""}}
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
	cache := s.cache
	cache.PartSlots = s.maxConcurrent / 2 // the other half is for all other queries
	service.client = promclient.New(promclient.Config{
		Transport:    client,
		Base:         base,
		Method:       s.httpMethod,
		Params:       s.customParams,
		QueryTimeout: s.queryTimeout,
		MinStep:      s.minStep,
		Cache:        cache,
		Limits:       s.limits,
		Retention:    s.retention,
		Archive:      archive,
	})
	return service
}

// archive is the archive of metrics, or nil.
func (s *metricsService) archive() *promclient.Archive {
	if !s.hasClient() {
		return nil
	}
	return s.client.Archive
}
