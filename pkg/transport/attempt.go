package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/backend/tracing"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
)

// Metrics of the plugin's process, over all data sources that it serves. Grafana offers them at /metrics/plugins/<plugin id>.
var (
	requests = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "gpucloud_upstream_requests_total",
		Help: "Requests to the platform, retries included, by service and outcome: ok, or the kind of failure.",
	}, []string{"service", "outcome"})
	durations = promauto.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "gpucloud_upstream_request_duration_seconds",
		Help:    "Time until the header of the platform's response, by service.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	}, []string{"service"})
	rejected = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "gpucloud_upstream_rejected_total",
		Help: "Requests that were not sent, by service and reason: open or half_open (the circuit breaker), or rejected (the limit of concurrent requests was reached).",
	}, []string{"service", "reason"})
)

// attempt sends a request unless the circuit breaker is open: it waits for one of so many permits, counts and measures each attempt, and
// makes a span of it, without the address, which may contain the query. The permit is held until the body is closed. What is no success is
// an *[Error] from here on, for retries, the circuit breaker and the caller. So is a redirect, which would get the credential.
func attempt(s Service, most int) httpclient.Middleware {
	permits, circuit := NewBulkhead(cmp.Or(most, math.MaxInt)), newCircuit(s)
	return httpclient.NamedMiddlewareFunc("attempt", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (_ *http.Response, err error) {
			if err = circuit.admit(req.Context()); err != nil {
				return nil, err
			}
			defer func() { circuit.record(err) }()
			release, err := s.acquire(req.Context(), permits, most)
			if err != nil {
				return nil, err
			}
			body := &attemptBody{service: s, done: sync.OnceFunc(release)}
			err = panics.Err // until there is a result
			defer func() {
				if err != nil {
					body.done()
				}
			}()
			ctx, span := tracing.DefaultTracer().Start(req.Context(), "platform request", trace.WithSpanKind(trace.SpanKindClient),
				trace.WithAttributes(attribute.String("gpucloud.service", s.Name), attribute.String("http.request.method", req.Method)))
			defer span.End()
			body.ctx, body.sent = ctx, time.Now()
			resp, cause := next.RoundTrip(req.WithContext(ctx))
			took := time.Since(body.sent)
			durations.WithLabelValues(s.Name).Observe(took.Seconds())
			if cause == nil {
				span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
			}
			failed, outcome := s.explain(ctx, resp, cause, took), "ok"
			if failed != nil {
				outcome = failed.Kind.Error()
				span.SetStatus(codes.Error, outcome)
			}
			requests.WithLabelValues(s.Name, outcome).Inc()
			span.SetAttributes(attribute.String("gpucloud.outcome", outcome))
			if failed != nil {
				return nil, failed
			}
			body.ReadCloser, resp.Body = resp.Body, body
			return resp, nil
		})
	})
}

// acquire waits for a permit, but gives up before the caller's deadline, so that the caller still receives the error.
func (s Service) acquire(ctx context.Context, permits *Bulkhead, most int) (release func(), err error) {
	within := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, time.Until(deadline)*9/10)
		defer cancel()
	}
	if release, err = permits.Acquire(within); err == nil {
		return release, nil
	}
	rejected.WithLabelValues(s.Name, "rejected").Inc()
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, context.Canceled
	}
	return nil, &Error{Kind: ErrConcurrency, Message: fmt.Sprintf("%s did not respond in time, because the limit of %d concurrent requests to it "+
		"was reached. Refresh less often, or raise Concurrent requests in the data source's settings, section Advanced.", s.Title, most)}
}

// explain is the error of an attempt, or nil. It closes the body of the response then.
func (s Service) explain(ctx context.Context, resp *http.Response, err error, took time.Duration) *Error {
	if err != nil {
		failed := s.fromError(err).after(took)
		failed.outage = failed.cause != nil && !gaveUp(ctx)
		failed.transient = failed.outage && causeOf(err).transient
		return failed
	}
	switch {
	case resp.StatusCode/100 == 2 && !isHTML(resp):
		return nil
	case resp.StatusCode/100 == 2:
		discard(resp)
		return s.Malformed(resp.StatusCode,
			"responded with a web page instead of data. Something between Grafana and the platform may respond in its place.")
	}
	// The error of reading is ignored: the status is enough.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	discard(resp)
	body := parseFailedBody(text)
	switch {
	case body.timedOut():
		return s.timedOut(resp.StatusCode, body.message)
	case body.errorType != "" && (resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnprocessableEntity):
		return s.Rejected(resp.StatusCode, body.message)
	}
	failed := s.fromStatus(resp.StatusCode, body.message, retryAfter(resp.Header, time.Now()))
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		// A signature is valid only near its timestamp.
		if theirs, err := http.ParseTime(resp.Header.Get("Date")); err == nil && s.Signed && time.Since(theirs).Abs() > tolerableSkew {
			failed.Message += fmt.Sprintf(" The clock of Grafana's server is off: by the platform's, it is %s.", theirs.UTC().Format(time.DateTime))
		}
	case http.StatusGatewayTimeout:
		if took >= longWait {
			return failed // the engine was at work on the request
		}
		failed.Kind = ErrUnavailable // the intermediary has no connection: a shorter query would not help
		fallthrough
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		failed.outage = body.errorType == "" && !gaveUp(ctx)
	}
	failed.transient = failed.outage || resp.StatusCode == http.StatusTooManyRequests
	return failed
}

const (
	// maxErrorBody bounds how much of an error response is read for its message, in bytes.
	maxErrorBody = 64 << 10
	// tolerableSkew is the clock skew up to which an error about a refused signature does not mention the clocks.
	tolerableSkew = time.Minute
	// longWait is how long an intermediary waits that has a connection to the engine: to the next hop in a network of servers, a
	// connection is refused or established within a small part of it.
	longWait = time.Second
)

// gaveUp reports whether the caller canceled a request or its deadline has passed, which the timer of the context may notice later.
func gaveUp(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

func isHTML(resp *http.Response) bool {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// discard drains and closes a body, so that its connection can be reused.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
	_ = resp.Body.Close()
}

// Took is how long ago the attempt was sent that a response of [Client.Send] is to: once its body is read, how long the service took.
func Took(resp *http.Response) time.Duration { return time.Since(resp.Body.(*attemptBody).sent) }

// attemptBody turns errors of reading into *[Error]s.
type attemptBody struct {
	io.ReadCloser
	service Service
	// ctx is the request's, for the log, and sent is when the request was sent.
	ctx  context.Context
	sent time.Time
	// done is called when the body is closed. It gives the permit of the attempt back.
	done func()
}

func (b *attemptBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return n, err
	}
	failed := b.service.fromError(err)
	if failed.cause != nil { // the body is incomplete
		failed = b.service.Malformed(0, "sent an incomplete response.")
		b.service.logCause(b.ctx, "A response of the platform broke off", err)
	}
	return n, failed.after(time.Since(b.sent))
}

func (b *attemptBody) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
