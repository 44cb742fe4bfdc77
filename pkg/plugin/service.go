package plugin

import (
	"context"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// service is the client of one of the platform's services, or the error of its settings, without which there is a client.
type service[C serviceClient] struct {
	client C
	// err is the error of the service's settings.
	err error
	// configured is true if any of the service's settings is set.
	configured bool
}

// serviceClient is a pointer to the client of a service.
type serviceClient interface {
	ClearCache()
	Close()
}

// check makes a health check of the request that run sends and describes.
func (s *service[C]) check(name string, run func(context.Context) (sent string, err error)) func(context.Context) check {
	return func(ctx context.Context) check {
		return runCheck(name, s.configured, s.err, func() (string, error) { return run(ctx) })
	}
}

func (s *service[C]) clearCache() {
	if s.err == nil {
		s.client.ClearCache()
	}
}

func (s *service[C]) close() {
	if s.err == nil {
		s.client.Close()
	}
}

// transportOptions are the options that all services have in common.
func transportOptions(s *settings, to transport.Service, authorize transport.Authorize) transport.Options {
	to.Private = s.secrets
	return transport.Options{
		HTTP: s.http, Service: to, Authorize: authorize, MaxResponseBytes: s.maxResponse, MaxConcurrent: s.maxConcurrent,
	}
}
