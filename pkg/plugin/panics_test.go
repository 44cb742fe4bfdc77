package plugin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/logtest"
)

// The value of a panic may contain secrets. The SDK would log it and send it to the browser.
func TestPanic_ValueNotExposed(t *testing.T) {
	const secret = "canary-of-a-panic"
	panicWithSecret := func() { panic(errors.New(secret)) }
	logged := logtest.Capture(t, log.Error)

	ds := &Datasource{resources: backend.CallResourceHandlerFunc(func(context.Context, *backend.CallResourceRequest, backend.CallResourceResponseSender) error {
		panicWithSecret()
		return nil
	})}
	err := ds.CallResource(t.Context(), &backend.CallResourceRequest{}, nil)
	require.EqualError(t, err, panics.Err.Error())

	checked := check{}
	checked.run(t.Context(), nil, func(context.Context) (string, error) { panicWithSecret(); return "", nil })
	require.False(t, checked.OK)
	require.NotEmpty(t, checked.Message)

	ds.handlers = map[string]handler{"": {"metrics", "", func(context.Context, backend.DataQuery, bool) (data.Frames, error) {
		panicWithSecret()
		return nil, nil
	}, nil}}
	ds.admission = newAdmission(ds.handlers, time.Minute)
	result, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{{RefID: "A", JSON: []byte(`{}`)}, {RefID: "B", QueryType: "?"}}})
	require.NoError(t, err)
	require.ErrorContains(t, result.Responses["B"].Error, "is not known", "the panic of one leaves the others whole")

	for what, output := range map[string]string{"health": checked.Message, "query": result.Responses["A"].Error.Error()} {
		require.Equal(t, "An unexpected error in the plugin; Grafana's log has the details.", output, what)
	}
	for _, where := range []string{"A resource panicked", "A health check panicked", "A query panicked", "panics_test.go"} {
		require.Contains(t, logged.String(), where)
	}
	require.NotContains(t, logged.String(), secret)
}

// A list is read in a goroutine that all waiting queries share.
func TestPanic_NotAnOutage(t *testing.T) {
	const secret = "canary-of-a-panic"
	logged := logtest.Capture(t, log.Error)
	client, err := transport.New(transport.Options{
		Service: transport.Service{Name: "mainapi", Title: "The service"}, Streaming: true,
		Authorize: func(http.RoundTripper) http.RoundTripper { return panicking(secret) },
	})
	require.NoError(t, err)
	base := &url.URL{Scheme: "http", Host: "platform.test"}
	ds := &Datasource{
		metrics: service[*prom.Client]{err: errTLS},
		mainAPI: service[*mainapi.Client]{client: mainapi.New(mainapi.Config{Transport: client, Base: base})},
		gateway: service[*jobs.Client]{client: &jobs.Client{Client: gateway.New(gateway.Config{Transport: client, Downloads: client, Base: base})}},
	}
	ds.handlers = ds.newHandlers()
	ds.admission = newAdmission(ds.handlers, time.Minute)
	t.Cleanup(ds.Dispose)
	for _, queryType := range []string{"capacities", "fineTuningJobs", "trainingFiles"} {
		result, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{
			{RefID: "A", QueryType: queryType, JSON: []byte(`{"queryType":"` + queryType + `"}`), TimeRange: backend.TimeRange{From: time.Now().Add(-time.Hour), To: time.Now()}},
		}})
		require.NoError(t, err)
		got := result.Responses["A"]
		require.EqualError(t, got.Error, "An unexpected error in the plugin; Grafana's log has the details.", queryType)
		require.Equal(t, backend.StatusInternal, got.Status)
		require.Equal(t, backend.ErrorSourcePlugin, got.ErrorSource)
	}
	require.Contains(t, logged.String(), "A shared request panicked")
	require.Contains(t, logged.String(), "panics_test.go")
	require.NotContains(t, logged.String(), secret)
}

type panicking string

func (p panicking) RoundTrip(*http.Request) (*http.Response, error) { panic(string(p)) }
