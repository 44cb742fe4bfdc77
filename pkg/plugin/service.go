package plugin

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// service is the client of one of the platform's services, or why there is none.
type service[C serviceClient] struct {
	client C
	// err is what is wrong with the service's settings.
	err error
	// configured tells whether anything of the service was set up at all.
	configured bool
}

// serviceClient is a pointer to a client of one of the platform's services.
type serviceClient interface {
	comparable
	ClearCache()
	Close()
}

// answering is the handler of queries that run answers.
func (s *service[C]) answering(run func(C, context.Context, backend.DataQuery, bool) (data.Frames, error)) func(context.Context, request) (data.Frames, error) {
	return func(ctx context.Context, r request) (data.Frames, error) {
		if s.err != nil {
			return nil, s.err
		}
		return run(s.client, ctx, r.DataQuery, r.plain)
	}
}

// check is a health check by a request that run sends and describes.
func (s *service[C]) check(name string, run func(context.Context) (sent string, err error)) func(context.Context) check {
	return func(ctx context.Context) check {
		return measure(name, s.configured, s.err, func() (string, error) { return run(ctx) })
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

// transportOptions are those that all services have in common.
func transportOptions(s *settings, to transport.Service, authorize transport.Authorize) transport.Options {
	to.Private = s.secrets
	return transport.Options{
		HTTP: s.http, Service: to, Authorize: authorize, MaxResponseBytes: s.maxResponse, MaxConcurrent: s.maxConcurrent,
	}
}
