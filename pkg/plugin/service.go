package plugin

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// service is the client of one of the platform's services, or the error of its settings.
type service[C serviceClient] struct {
	client C
	// err is the error of the service's settings.
	err error
	// configured is true if any of the service's settings is set.
	configured bool
	// explain names the setting that an error of a query is due to. It may be nil.
	explain func(error) error
}

// serviceClient is a pointer to the client of a service.
type serviceClient interface {
	comparable
	QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error)
	ClearCache()
	Close()
}

// queryData runs a query, unless the settings of the service have an error.
func (s *service[C]) queryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	if s.err != nil {
		return nil, s.err
	}
	frames, err := s.client.QueryData(ctx, saved, alerting)
	if s.explain != nil {
		err = s.explain(err)
	}
	return frames, err
}

// check makes a health check of the request that run sends and describes.
func (s *service[C]) check(name string, run func(context.Context) (sent string, err error)) func(context.Context) check {
	return func(ctx context.Context) check {
		return runCheck(name, s.configured, s.err, func() (string, error) { return run(ctx) })
	}
}

func (s *service[C]) clearCache() {
	if s.hasClient() {
		s.client.ClearCache()
	}
}

func (s *service[C]) close() {
	if s.hasClient() {
		s.client.Close()
	}
}

func (s *service[C]) hasClient() bool {
	var none C
	return s.client != none
}

// transportOptions are the options that all services have in common.
func transportOptions(s *settings, to transport.Service, authorize transport.Authorize) transport.Options {
	to.Private = s.secrets
	return transport.Options{
		HTTP: s.http, Service: to, Authorize: authorize, MaxResponseBytes: s.maxResponse, MaxConcurrent: s.maxConcurrent,
	}
}
