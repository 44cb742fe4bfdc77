package transport

import (
	"errors"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/backend/tracing"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
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

// Outcome names the kind of err for metrics and logs: "ok" for nil, "error" for an error that is not an *[Error].
func Outcome(err error) string {
	var failed *Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &failed):
		return failed.Kind.Error()
	}
	return "error"
}

// observe counts and measures each attempt, and makes a span of it, without the address, which may contain the query.
func observe(s Service) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("observe", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			ctx, span := tracing.DefaultTracer().Start(req.Context(), "platform request", trace.WithSpanKind(trace.SpanKindClient),
				trace.WithAttributes(attribute.String("gpucloud.service", s.Name), attribute.String("http.request.method", req.Method)))
			defer span.End()
			start := time.Now()
			if last, ok := ctx.Value(sentKey{}).(*lastSent); ok {
				last.at.Store(&start)
			}
			resp, err := next.RoundTrip(req.WithContext(ctx))
			durations.WithLabelValues(s.Name).Observe(time.Since(start).Seconds())
			outcome := s.outcome(resp, err)
			requests.WithLabelValues(s.Name, outcome).Inc()
			span.SetAttributes(attribute.String("gpucloud.outcome", outcome))
			if outcome != "ok" {
				span.SetStatus(codes.Error, outcome)
			}
			if err != nil {
				return nil, err
			}
			span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
			return resp, nil
		})
	})
}

func (s Service) outcome(resp *http.Response, err error) string {
	switch {
	case err != nil:
		return Outcome(s.fromError(err))
	case resp.StatusCode/100 != 2:
		return Outcome(s.fromStatus(resp.StatusCode, "", 0))
	}
	return "ok"
}
