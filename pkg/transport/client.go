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

// maxErrorBody bounds how much of a failed answer is read for its message, in bytes.
const maxErrorBody = 64 << 10

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
	// MaxResponseBytes bounds a body after unpacking. Grafana's own response limit wins where it is set.
	MaxResponseBytes int64
	// MaxConcurrent bounds how many requests are under way at a time; 0 doesn't. Others wait for their turn.
	MaxConcurrent int
	// Streaming is for answers that are passed on as they come: the timeout then bounds only the wait for an answer to
	// begin. Its bodies should go without MaxResponseBytes.
	Streaming bool
}

// Client speaks to one service of the platform. It is safe for concurrent use.
type Client struct {
	http    *http.Client
	service Service
	// streaming: bodies are passed on as they come.
	streaming bool
	// idle is the innermost transport: http.Client can't close what round-trippers of ours are wrapped around.
	idle *http.Transport
}

// New makes a service's client. It fails if the HTTP settings can't be used, a broken TLS certificate for example.
func New(o Options) (*Client, error) {
	opts := o.HTTP
	// Grafana would have its users' cookies and identity tokens passed on.
	opts.ForwardHTTPHeaders = false
	var timeout time.Duration
	if opts.Timeouts != nil && !o.Streaming {
		timeout = opts.Timeouts.Timeout
	}
	// From the outside in. Retries are outside the credential, so that each attempt is signed afresh; the limit is
	// outside decoding, so that it counts what has been unpacked. Who waits for a place does not count as under way, and who
	// waits for a retry holds none.
	opts.Middlewares = []httpclient.Middleware{
		retryReads(o.Service, timeout),
		circuitBreaker(o.Service),
		limitConcurrency(o.Service, o.MaxConcurrent, timeout),
		httpclient.ContextualMiddleware(),
		dropGrafanaHeaders(),
		httpclient.BasicAuthenticationMiddleware(),
		httpclient.CustomHeadersMiddleware(),
		authorize(o.Authorize),
		httpclient.ResponseLimitMiddleware(o.MaxResponseBytes),
		decode(o.Service),
		observe(o.Service),
	}
	var idle *http.Transport
	opts.ConfigureTransport = func(_ httpclient.Options, t *http.Transport) {
		idle = t
		t.ForceAttemptHTTP2 = true // a TLS configuration of one's own turns it off
		t.DisableCompression = true
	}
	opts.ConfigureClient = func(_ httpclient.Options, c *http.Client) {
		c.CheckRedirect = sameOriginOnly
		if o.Streaming {
			c.Timeout = 0 // the transport's wait for the head of an answer keeps the same length
		}
	}
	client, err := httpclient.New(opts)
	if err != nil {
		return nil, fmt.Errorf("the TLS or proxy settings can't be used: %w", err)
	}
	return &Client{http: client, service: o.Service, streaming: o.Streaming, idle: idle}, nil
}

func authorize(a Authorize) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("authorize", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		if a == nil {
			return next
		}
		return a(next)
	})
}

// Explain turns any error of a call to this service into an *[Error]; one that is already is returned as it is, and so is
// [panics.Err]. It is for libraries that were given this client and wrap what it returns.
func (c *Client) Explain(err error) error {
	if err == nil || errors.Is(err, panics.Err) {
		return err
	}
	return c.service.fromError(err)
}

// Service tells which service this client speaks to.
func (c *Client) Service() Service { return c.service }

// Close drops idle connections; a request under way ends on its own.
func (c *Client) Close() { c.idle.CloseIdleConnections() }

// Do sends the request and returns an answer whose status is 2xx and whose body isn't HTML. Anything else is an *[Error];
// so is every error of reading the body. In a body, stars are in the place of the secrets that the platform was sent; not
// so in one that is passed on as it comes, which is no text. The caller closes the body.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		explained, hasItsOwnKind := c.service.classify(err)
		if !hasItsOwnKind {
			explained = c.service.fromError(err)
			c.service.logCause(req.Context(), "A request to the platform brought no response", err)
		}
		return nil, explained
	}
	if resp.StatusCode/100 != 2 {
		defer discard(resp)
		return nil, c.failed(resp)
	}
	if isHTML(resp) {
		defer discard(resp)
		return nil, c.service.Malformed(resp.StatusCode,
			"answered with a web page instead of data. Something between Grafana and the platform may answer in its place.")
	}
	resp.Body = &explainedBody{ReadCloser: resp.Body, service: c.service, ctx: req.Context()}
	if !c.streaming {
		resp.Body = redactBody(resp.Body, c.sentSecrets(resp))
	}
	return resp, nil
}

// sentSecrets are the secrets that the platform has, and may echo: the service's, and the signature of the request.
func (c *Client) sentSecrets(resp *http.Response) []string {
	if !c.service.Signed || resp.Request == nil {
		return c.service.Secrets
	}
	return append(signature.FindAllString(resp.Request.Header.Get("Authorization"), -1), c.service.Secrets...)
}

func (c *Client) failed(resp *http.Response) *Error {
	said := peekErrorBody(resp)
	if said.errorType != "" && (resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnprocessableEntity) {
		return c.service.Rejected(resp.StatusCode, said.text)
	}
	if said.errorType == errorTypeTimeout {
		return c.service.timedOut(resp.StatusCode, said.text)
	}
	explained := c.service.fromStatus(resp.StatusCode, said.text, retryAfter(resp, time.Now()))
	if c.service.Signed && resp.StatusCode == http.StatusUnauthorized {
		explained.Message += clockHint(resp.Header, time.Now())
	}
	return explained
}

func isHTML(resp *http.Response) bool {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// explainedBody turns errors of reading into the sentence a user gets.
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
	explained, hasItsOwnKind := b.service.classify(err)
	if !hasItsOwnKind {
		// Whatever broke a body in the middle, the response is not whole.
		explained = b.service.Malformed(0, "sent an answer that breaks off before its end.")
		b.service.logCause(b.ctx, "A response of the platform broke off", err)
	}
	return n, explained
}
