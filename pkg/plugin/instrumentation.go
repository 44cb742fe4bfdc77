package plugin

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/grafana/grafana-plugin-sdk-go/backend/tracing"
	"github.com/grafana/grafana-plugin-sdk-go/data"
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

// instrument counts, measures, traces and logs a query. The log has neither the query nor, except at the debug level, the
// message of an error, which may quote it.
func instrument(ctx context.Context, q backend.DataQuery, alerting bool, by handler) (data.Frames, error) {
	ctx, span := tracing.DefaultTracer().Start(ctx, "query")
	defer span.End()
	start := time.Now()

	frames, err := by.run(ctx, q, alerting)
	err = cmp.Or(err, checkText(frames))

	took := time.Since(start)
	outcome := outcomeOf(err)
	queries.WithLabelValues(by.service, outcome).Inc()
	queryDurations.WithLabelValues(by.service).Observe(took.Seconds())
	span.SetAttributes(attribute.String("gpucloud.ref_id", q.RefID), attribute.String("gpucloud.service", by.service),
		attribute.String("gpucloud.outcome", outcome))
	logger := log.DefaultLogger.FromContext(ctx).With("refId", q.RefID, "service", by.service, "outcome", outcome, "duration", took.String())
	if err == nil {
		logger.Debug("The query succeeded")
		return frames, nil
	}
	if errors.Is(err, transport.ErrCanceled) {
		logger.Debug("A query was canceled")
		return nil, err
	}
	span.SetStatus(codes.Error, outcome)
	f := toAPIError(err)
	logger.Warn("A query failed", "status", f.status, "errorSource", string(f.source))
	logger.Debug("Why the query failed", "reason", f.message)
	return nil, err
}

// outcomeOf names the outcome of a query: "ok", the kind of a *transport.Error, or "invalid" for a query or setting.
func outcomeOf(err error) string {
	outcome := transport.Outcome(err)
	if outcome == "error" && toAPIError(err).status == int(backend.StatusBadRequest) {
		return "invalid"
	}
	return outcome
}
