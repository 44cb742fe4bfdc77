// Package transport builds the HTTP client of every service. The plugin sends no request without it.
//
// A client applies Grafana's HTTP settings (TLS, proxy, timeouts, custom headers), adds the service's credential, removes
// headers about Grafana's users, retries requests that only read, limits concurrency, opens a circuit breaker after many failures,
// refuses redirects, decodes and limits response bodies, and redacts secrets. Every failure is an
// [Error]: a kind, the HTTP status, and a message for the user without address, header and secret.
package transport

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
)

// maxHeaderBytes bounds the headers of a response. Those of the platform have some hundred bytes.
const maxHeaderBytes = 256 << 10

// Options describe the client of one service.
type Options struct {
	// HTTP are the data source's HTTP settings: TLS, proxy, timeouts, custom headers, basic authentication.
	HTTP    httpclient.Options
	Service Service
	// Authorize adds the credential to each attempt, as [Bearer] does; nil adds none. The credential is one of the service's secrets.
	Authorize func(next http.RoundTripper) http.RoundTripper
	// MaxResponseBytes bounds a body after decoding. Grafana's own response limit takes precedence where it is set.
	MaxResponseBytes int64
	// MaxConcurrent bounds the number of concurrent requests; 0 means no bound. Further requests wait.
	MaxConcurrent int
	// Streaming is for bodies that are forwarded while they are read. The timeout then bounds only the wait for the
	// response header. Leave MaxResponseBytes 0.
	Streaming bool
}

// Client sends requests to one service of the platform. It is safe for concurrent use.
type Client struct {
	Service   Service
	http      *http.Client
	streaming bool
	// timeout bounds a request with its retries and the reading of its body; 0 is no bound.
	timeout time.Duration
	// innermost is the transport below the middlewares. http.Client.CloseIdleConnections does not reach it.
	innermost *http.Transport
}

// New makes a service's client. It fails if the HTTP settings can't be used, a broken TLS certificate for example.
func New(o Options) (*Client, error) {
	opts := o.HTTP
	// Otherwise the SDK forwards cookies and identity tokens of Grafana's users.
	opts.ForwardHTTPHeaders = false
	// From the outside in. Retries are outside attempt, so that each attempt is signed anew, a request holds no permit during a backoff, and
	// they see errors in place of failed responses. Middlewares of the context are Grafana's, and may record requests and responses: no
	// credential is in them there. The response limit is outside own, so that it counts decoded bytes.
	opts.Middlewares = []httpclient.Middleware{
		retries(),
		attempt(o.Service, o.MaxConcurrent),
		httpclient.ContextualMiddleware(),
		httpclient.ResponseLimitMiddleware(o.MaxResponseBytes),
		own(o),
		httpclient.BasicAuthenticationMiddleware(),
		httpclient.CustomHeadersMiddleware(),
	}
	if o.Authorize != nil {
		opts.Middlewares = append(opts.Middlewares, httpclient.MiddlewareFunc(func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
			return o.Authorize(next)
		}))
	}
	made := &Client{Service: o.Service, streaming: o.Streaming}
	opts.ConfigureTransport = func(_ httpclient.Options, t *http.Transport) {
		made.innermost = t
		t.ForceAttemptHTTP2 = true // net/http turns HTTP/2 off where there is a custom TLS configuration
		t.DisableCompression = true
		t.MaxResponseHeaderBytes = maxHeaderBytes
	}
	opts.ConfigureClient = func(_ httpclient.Options, c *http.Client) {
		if !o.Streaming { // ResponseHeaderTimeout of the transport bounds the wait for the header anyway
			made.timeout = c.Timeout
		}
		c.Timeout = 0 // net/http would not add it to the context, by which retries and the concurrency limit know when to give up
	}
	var err error
	if made.http, err = httpclient.New(opts); err != nil {
		return nil, fmt.Errorf("the TLS or proxy settings can't be used: %w", err)
	}
	return made, nil
}

// Explain turns an error of a request to this service into an *[Error]. It returns an *[Error] and [panics.Err] unchanged.
func (c *Client) Explain(err error) error {
	if err == nil || errors.Is(err, panics.Err) {
		return err
	}
	return c.Service.fromError(err)
}

// Close closes idle connections. It does not interrupt requests that are under way.
func (c *Client) Close() { c.innermost.CloseIdleConnections() }
