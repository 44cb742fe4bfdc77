package transport_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/grafana/grafana-plugin-sdk-go/backend/tracing"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// counted reads a counter of the plugin's process.
func counted(t *testing.T, name string, labels map[string]string) float64 {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, metric := range family.GetMetric() {
			matching := 0
			for _, label := range metric.GetLabel() {
				if labels[label.GetName()] == label.GetValue() {
					matching++
				}
			}
			if matching == len(labels) {
				return metric.GetCounter().GetValue()
			}
		}
	}
	return 0
}

func TestInstrumentation_Counters(t *testing.T) {
	tests := map[string]struct {
		handle  http.HandlerFunc
		outcome string
	}{
		"successful":   {respondWith(http.StatusOK, "{}"), "ok"},
		"refused":      {respondWith(http.StatusUnauthorized, "{}"), "credential"},
		"failed":       {respondWith(http.StatusInternalServerError, "{}"), "unavailable"},
		"rate limited": {respondWith(http.StatusTooManyRequests, "{}"), "rate_limited"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := serve(t, test.handle)
			client := newClient(t, func(o *transport.Options) { o.Service.Name, o.HTTP.Timeouts.Timeout = "counted", time.Second })
			labels := map[string]string{"service": "counted", "outcome": test.outcome}
			before := counted(t, "gpucloud_upstream_requests_total", labels)

			_, _ = get(t, client, server.URL)

			require.Greater(t, counted(t, "gpucloud_upstream_requests_total", labels), before)
		})
	}
}

func TestInstrumentation_Spans(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	before := tracing.DefaultTracer()
	tracing.InitDefaultTracer(trace.NewTracerProvider(trace.WithSpanProcessor(recorder)).Tracer("test"))
	defer tracing.InitDefaultTracer(before)
	server := serve(t, respondWith(http.StatusNotFound, "{}"))
	client := newClient(t, func(o *transport.Options) { o.Service.Name = "traced" })

	_, err := get(t, client, server.URL+"/secret-path?query=secret_query")
	require.ErrorIs(t, err, transport.ErrNotFound)

	require.Len(t, recorder.Ended(), 1)
	span := recorder.Ended()[0]
	require.Contains(t, span.Attributes(), attribute.String("gpucloud.service", "traced"))
	require.Contains(t, span.Attributes(), attribute.String("gpucloud.outcome", "not_found"))
	for _, attr := range span.Attributes() {
		require.False(t, strings.Contains(attr.Value.String(), "secret"), "%s: %s", attr.Key, attr.Value.String())
		require.NotContains(t, attr.Value.String(), "127.0.0.1")
	}
}
