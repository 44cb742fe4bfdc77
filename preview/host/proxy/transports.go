package proxy

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

// provider does with the settings what Grafana does for a request that it forwards.
var provider = httpclient.NewProvider(httpclient.ProviderOptions{Middlewares: []httpclient.Middleware{
	httpclient.BasicAuthenticationMiddleware(), httpclient.CustomHeadersMiddleware(),
}})

// transports keeps the connections of the data source's settings until they change.
type transports struct {
	mu      sync.Mutex
	updated time.Time
	current http.RoundTripper
}

// of returns the transport of the settings: their certificates, custom headers and timeouts, as for the plugin itself.
func (t *transports) of(ctx context.Context, settings *backend.DataSourceInstanceSettings) (http.RoundTripper, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != nil && t.updated.Equal(settings.Updated) {
		return t.current, nil
	}
	options, err := settings.HTTPClientOptions(ctx)
	if err != nil {
		return nil, err
	}
	made, err := provider.GetTransport(options)
	if err != nil {
		return nil, err
	}
	if old, ok := t.current.(interface{ CloseIdleConnections() }); ok {
		old.CloseIdleConnections()
	}
	t.current, t.updated = made, settings.Updated
	return made, nil
}
