package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
)

// maxErrorBody bounds how much of an error response is read for its message, in bytes.
const maxErrorBody = 64 << 10

// maxHeaderBytes bounds the headers of a response. Those of the platform have some hundred bytes.
const maxHeaderBytes = 256 << 10

// Authorize adds a service's credential to each attempt of each request.
type Authorize func(next http.RoundTripper) http.RoundTripper

// Options describe the client of one service.
type Options struct {
	// HTTP are the data source's HTTP settings: TLS, proxy, timeouts, custom headers, basic authentication.
	HTTP httpclient.Options
	// Service names the service in messages.
	Service Service
	// Authorize adds the credential; nil sends none.
	Authorize Authorize
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
	// Service is the service that the client sends requests to.
	Service Service
	http    *http.Client
	// streaming is [Options.Streaming].
	streaming bool
	// innermost is the transport below the middlewares. http.Client.CloseIdleConnections does not reach it.
	innermost *http.Transport
}

// New makes a service's client. It fails if the HTTP settings can't be used, a broken TLS certificate for example.
func New(o Options) (*Client, error) {
	opts := o.HTTP
	// Otherwise the SDK forwards cookies and identity tokens of Grafana's users.
	opts.ForwardHTTPHeaders = false
	var timeout time.Duration
	if opts.Timeouts != nil && !o.Streaming {
		timeout = opts.Timeouts.Timeout
	}
	// From the outside in. Retries are outside authorize, so that each attempt is signed anew, and outside the concurrency
	// limit, so that a request holds no slot during a backoff. The response limit is outside decode, so that it counts
	// decoded bytes.
	opts.Middlewares = []httpclient.Middleware{
		retries(o.Service, timeout),
		circuitBreaker(o.Service),
		limitConcurrency(o.Service, o.MaxConcurrent, timeout),
		httpclient.ContextualMiddleware(),
		dropOtherHeaders(),
		httpclient.BasicAuthenticationMiddleware(),
		httpclient.CustomHeadersMiddleware(),
		authorize(o.Authorize),
		httpclient.ResponseLimitMiddleware(o.MaxResponseBytes),
		decode(o.Service),
		observe(o.Service),
	}
	var innermost *http.Transport
	opts.ConfigureTransport = func(_ httpclient.Options, t *http.Transport) {
		innermost = t
		t.ForceAttemptHTTP2 = true // net/http turns HTTP/2 off where there is a custom TLS configuration
		t.DisableCompression = true
		t.MaxResponseHeaderBytes = maxHeaderBytes
	}
	opts.ConfigureClient = func(_ httpclient.Options, c *http.Client) {
		c.CheckRedirect = sameOriginOnly
		if o.Streaming {
			c.Timeout = 0 // ResponseHeaderTimeout of the transport still bounds the wait for the header
		}
	}
	client, err := httpclient.New(opts)
	if err != nil {
		return nil, fmt.Errorf("the TLS or proxy settings can't be used: %w", err)
	}
	return &Client{http: client, Service: o.Service, streaming: o.Streaming, innermost: innermost}, nil
}

func authorize(a Authorize) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("authorize", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		if a == nil {
			return next
		}
		return a(next)
	})
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

// Do sends the request and returns a response whose status is 2xx and whose body isn't HTML. Any other response is an
// *[Error], and so is every error of reading the body. Secrets that the platform repeats in the body are overwritten with
// stars, except in a streaming client, whose bodies are archives. The caller closes the body.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if err := Take(req.Context()); err != nil {
		return nil, err
	}
	req = req.WithContext(context.WithValue(req.Context(), sentKey{}, &lastSent{}))
	resp, err := c.http.Do(req)
	if err != nil {
		explained, classified := c.Service.classify(err)
		if !classified {
			explained = c.Service.fromError(err)
			c.Service.logCause(req.Context(), "A request to the platform got no response", err)
		}
		return nil, explained.after(took(req.Context()))
	}
	if resp.StatusCode/100 != 2 {
		defer discard(resp)
		return nil, c.failed(resp)
	}
	if isHTML(resp) {
		defer discard(resp)
		return nil, c.Service.Malformed(resp.StatusCode,
			"responded with a web page instead of data. Something between Grafana and the platform may respond in its place.")
	}
	resp.Body = &explainedBody{ReadCloser: resp.Body, service: c.Service, ctx: req.Context()}
	if !c.streaming {
		resp.Body = redactBody(resp.Body, c.sentSecrets(resp))
	}
	return resp, nil
}

// sentSecrets are the secrets that the platform received and may repeat: those of the service, and the signature of the request.
func (c *Client) sentSecrets(resp *http.Response) []string {
	if !c.Service.Signed {
		return c.Service.Secrets
	}
	return append(signature.FindAllString(resp.Request.Header.Get("Authorization"), -1), c.Service.Secrets...)
}

func (c *Client) failed(resp *http.Response) *Error {
	body := peekErrorBody(resp)
	if body.timedOut() {
		return c.Service.timedOut(resp.StatusCode, body.message)
	}
	if body.errorType != "" && (resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnprocessableEntity) {
		return c.Service.Rejected(resp.StatusCode, body.message)
	}
	explained := c.Service.fromStatus(resp.StatusCode, body.message, retryAfter(resp, time.Now()))
	if resp.StatusCode == http.StatusGatewayTimeout && !waited(resp) {
		explained.Kind = ErrUnavailable // the intermediary has no connection: a shorter query would not help
	}
	if c.Service.Signed && resp.StatusCode == http.StatusUnauthorized {
		explained.Message += clockHint(resp.Header, time.Now())
	}
	return explained
}

func isHTML(resp *http.Response) bool {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// explainedBody turns errors of reading into *[Error]s.
type explainedBody struct {
	io.ReadCloser
	service Service
	// ctx is the request's, for the log.
	ctx context.Context
}

func (b *explainedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return n, err
	}
	explained, classified := b.service.classify(err)
	if !classified {
		// An error of any other kind: the body is incomplete.
		explained = b.service.Malformed(0, "sent an incomplete response.")
		b.service.logCause(b.ctx, "A response of the platform broke off", err)
	}
	return n, explained.after(took(b.ctx))
}
