package plugin

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// metricsService is the metrics client, or why there is none.
type metricsService struct {
	client *metrics.Client
	// err is what is wrong with the service's settings.
	err error
	// configured tells whether anything of the service was set up at all.
	configured bool
}

func newMetricsService(s *settings) metricsService {
	base, err := s.metricsBase()
	if err == nil && s.monitoringToken == "" {
		err = settingsError("No monitoring token is set. Set it in the data source's settings, section Metrics.")
	}
	if err == nil {
		err = headerValueError("monitoring token", s.monitoringToken, "Metrics")
	}
	service := metricsService{err: err, configured: s.monitoringToken != ""}
	if err != nil {
		return service
	}
	client, err := transport.New(transport.Options{
		HTTP: s.http,
		Service: transport.Service{
			Name: "metrics", Title: "The metrics endpoint", Credential: "monitoring token", Section: "Metrics", Secrets: []string{s.monitoringToken},
			Host: base.Host, Private: s.secrets,
		},
		Authorize:        transport.Bearer(s.monitoringToken),
		MaxResponseBytes: s.maxResponse,
		MaxConcurrent:    s.maxConcurrent,
	})
	if err != nil {
		service.err = unusableTLS
		return service
	}
	service.client = metrics.New(metrics.Config{
		Transport:    client,
		Base:         base,
		Method:       s.httpMethod,
		Params:       s.customParams,
		QueryTimeout: s.queryTimeout,
		MinStep:      s.minStep,
		Cache:        s.cache,
		Limits:       s.limits,
	})
	return service
}

func (s *metricsService) query(ctx context.Context, r request) (data.Frames, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.client.QueryData(ctx, r.DataQuery, r.plain)
}

func (s *metricsService) check(ctx context.Context) check {
	return measure("Metrics", s.configured, s.err, func() (string, error) { return "a range query", s.client.Check(ctx) })
}
