package plugin_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// queriesCounted is how many queries of a service the plugin's process has answered with an outcome.
func queriesCounted(t *testing.T, service, outcome string) float64 {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := metric.GetLabel()
			if family.GetName() == "gpucloud_queries_total" && labels[0].GetValue() == outcome && labels[1].GetValue() == service {
				return metric.GetCounter().GetValue()
			}
		}
	}
	return 0
}

func TestInstrumentation_Counters(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	p.Inject(platform.Fault{Service: "metrics", Path: "query_range$", Times: 1, Status: 401})
	tests := []struct {
		query            values
		service, outcome string
	}{
		{values{"expr": "up", "range": true}, "metrics", "credential"},
		{values{"expr": "up", "range": true}, "metrics", "ok"},
		{values{"expr": "up", "range": true, "format": "pie"}, "metrics", "invalid"},
		{values{"queryType": "capacities"}, "main", "invalid"},
		{values{"queryType": "fineTuningJobs"}, "tuning", "invalid"},
	}
	for _, test := range tests {
		before := queriesCounted(t, test.service, test.outcome)
		ask(t, ds, dataQuery(t, "A", test.query))
		require.Equal(t, before+1, queriesCounted(t, test.service, test.outcome), "%v", test.query)
	}
}

// heard is a logger that keeps what it is told.
type heard struct {
	log.Logger
	level log.Level
	mu    *sync.Mutex
	lines *bytes.Buffer
	with  []any
}

func (h heard) keep(level log.Level, msg string, args []any) {
	if level < h.level {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintln(h.lines, msg, h.with, args)
}

func (h heard) Debug(msg string, args ...any) { h.keep(log.Debug, msg, args) }
func (h heard) Info(msg string, args ...any)  { h.keep(log.Info, msg, args) }
func (h heard) Warn(msg string, args ...any)  { h.keep(log.Warn, msg, args) }
func (h heard) Error(msg string, args ...any) { h.keep(log.Error, msg, args) }

func (h heard) FromContext(context.Context) log.Logger { return h }

func (h heard) With(args ...any) log.Logger {
	h.with = append(h.with[:len(h.with):len(h.with)], args...)
	return h
}

func TestLog_NoQueryText(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	for level, quotes := range map[log.Level]bool{log.Info: false, log.Debug: true} {
		h := heard{Logger: log.NewNullLogger(), level: level, mu: &sync.Mutex{}, lines: &bytes.Buffer{}}
		before := log.DefaultLogger
		log.DefaultLogger = h
		// The engine's message quotes what it can't parse.
		response := ask(t, ds, dataQuery(t, "B", values{"expr": "sum(my_secret_metric)) by", "range": true}))["B"]
		log.DefaultLogger = before

		require.Error(t, response.Error)
		require.Equal(t, backend.StatusBadRequest, response.Status)
		require.Contains(t, h.lines.String(), "A query failed")
		require.Contains(t, h.lines.String(), "refId B service metrics outcome bad_request")
		require.Equal(t, quotes, bytes.Contains(h.lines.Bytes(), []byte(response.Error.Error())))
	}
}

func TestLog_CanceledQuery(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	p.Inject(platform.Fault{Kind: platform.FaultHang})
	t.Cleanup(p.ClearFaults)
	h := heard{Logger: log.NewNullLogger(), level: log.Info, mu: &sync.Mutex{}, lines: &bytes.Buffer{}}
	before := log.DefaultLogger
	log.DefaultLogger = h
	t.Cleanup(func() { log.DefaultLogger = before })
	canceled := queriesCounted(t, "metrics", "canceled")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)

	_, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{dataQuery(t, "A", values{"expr": "up", "range": true})}})

	// The SDK takes any other error, and any response with an error, for a failure, and logs it as one.
	require.Equal(t, backend.RequestStatusCancelled, backend.RequestStatusFromError(err))
	require.Empty(t, h.lines.String())
	require.Equal(t, canceled+1, queriesCounted(t, "metrics", "canceled"))
}
