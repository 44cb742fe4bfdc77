package plugin

import (
	"context"
	"errors"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/grafana/grafana-plugin-sdk-go/backend/tracing"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Metrics of the plugin's process, over all data sources that it serves. Grafana offers them at /metrics/plugins/<plugin id>.
var (
	queries = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "gpucloud_queries_total",
		Help: "Queries of panels, alert rules, annotations and variables, by service and outcome: ok, or the kind of failure.",
	}, []string{"service", "outcome"})
	queryDurations = promauto.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "gpucloud_query_duration_seconds",
		Help:    "Duration of queries, by service.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	}, []string{"service"})
)

// instrument begins to measure and trace a query. Call end with its error, or nil, which counts and logs it. The log has neither the
// query nor, except at the debug level, the message of an error, which may quote it.
func instrument(ctx context.Context, refID, service string) (_ context.Context, end func(err error)) {
	ctx, span := tracing.DefaultTracer().Start(ctx, "query")
	start := time.Now()
	return ctx, func(err error) {
		defer span.End()
		took, f := time.Since(start), apiError{outcome: "ok"}
		if err != nil {
			f = toAPIError(err)
		}
		queries.WithLabelValues(service, f.outcome).Inc()
		queryDurations.WithLabelValues(service).Observe(took.Seconds())
		span.SetAttributes(attribute.String("gpucloud.ref_id", refID), attribute.String("gpucloud.service", service),
			attribute.String("gpucloud.outcome", f.outcome))
		if err == nil { // of which the SDK's own log has a line
			return
		}
		logger := log.DefaultLogger.FromContext(ctx).With("refId", refID, "service", service, "outcome", f.outcome, "duration", took.String())
		if errors.Is(err, transport.ErrCanceled) {
			logger.Debug("A query was canceled")
			return
		}
		span.SetStatus(codes.Error, f.outcome)
		logger.Warn("A query failed", "status", f.status, "errorSource", string(f.source))
		logger.Debug("Why the query failed", "reason", f.message)
	}
}
