package plugin_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/logtest"
)

func TestLog_NoQueryText(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	for level, quotes := range map[log.Level]bool{log.Info: false, log.Debug: true} {
		logged := logtest.Capture(t, level)
		// The engine's message quotes the query.
		response := runQueries(t, ds, dataQuery(t, "B", values{"expr": "sum(my_secret_metric)) by", "range": true}))["B"]

		require.Error(t, response.Error)
		require.Equal(t, backend.StatusBadRequest, response.Status)
		require.Contains(t, logged.String(), "A query failed")
		require.Contains(t, logged.String(), "refId B service metrics outcome bad_request")
		require.Equal(t, quotes, strings.Contains(logged.String(), response.Error.Error()))
	}
}

func TestLog_CanceledQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ds := newDatasource(t, datasource.Nowhere, nil)
		logged := logtest.Capture(t, log.Info)
		canceled := queriesCounted(t, "metrics", "canceled")
		ctx, cancel := context.WithCancel(datasource.InMemory(t.Context(), (&hang{}).serve))
		time.AfterFunc(100*time.Millisecond, cancel)

		_, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{dataQuery(t, "A", values{"expr": "up", "range": true})}})

		// The SDK logs any other error, and any response with an error, as a failure.
		require.Equal(t, backend.RequestStatusCancelled, backend.RequestStatusFromError(err))
		require.Empty(t, logged.String())
		require.Equal(t, canceled+1, queriesCounted(t, "metrics", "canceled"))
	})
}

func TestLog_LongRefID(t *testing.T) {
	lines := logtest.Capture(t, log.Debug)
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	long := strings.Repeat("A", 100_000)
	response := runQueries(t, ds, dataQuery(t, long, values{"expr": "sum("}))
	require.ErrorContains(t, response[long].Error, "whose names (refId) have at most 256 bytes.")
	require.NotContains(t, lines.String(), strings.Repeat("A", 257))
}

func TestQuery_ReversedRange(t *testing.T) {
	lines := logtest.Capture(t, log.Debug)
	_, settings := threeServices(t)
	ds := newInstance(t, settings(nil, nil))
	types := slices.Concat(jobs.QueryTypes(), runs.QueryTypes(), mainapi.QueryTypes(), []string{"metrics", placement.QueryType})
	for _, queryType := range types {
		q := dataQuery(t, "A", values{"queryType": queryType, "expr": "vector(1)", "format": "count"})
		q.TimeRange.From, q.TimeRange.To = q.TimeRange.To, q.TimeRange.From
		response := runQueries(t, ds, q)["A"]
		require.ErrorContains(t, response.Error, "Time range: it ends before it starts.", queryType)
		require.Equal(t, backend.StatusBadRequest, response.Status)
	}
	require.NotContains(t, lines.String(), "panicked")
}

// The value is sent without the spaces, and a message that repeats it is redacted.
func TestMessages_HeaderWithSpaces(t *testing.T) {
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"status":"error","errorType":"bad_data","error":"not for `+r.Header.Get("X-Tenant")+`"}`)
	})
	ds := newDatasourceWith(t, address, values{"httpHeaderName1": "X-Tenant"}, map[string]string{"monitoringToken": "a-monitoring-token", "httpHeaderValue1": "  the-tenants-key \n"})
	require.EqualError(t, runQueries(t, ds, dataQuery(t, "A", values{"expr": "up"}))["A"].Error, "not for [hidden]")
}
