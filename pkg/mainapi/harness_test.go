package mainapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// noon is the end of the range of queries.
var noon = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

type values = map[string]any

// newMainAPI is a client of a main API that has a body for each path.
func newMainAPI(t *testing.T, responses map[string]string, seen *[]*url.URL) *mainapi.Client {
	t.Helper()
	return newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if seen != nil {
			*seen = append(*seen, r.URL)
		}
		body, ok := responses[r.URL.RequestURI()]
		if !ok {
			body, ok = responses[r.URL.Path]
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(body))
	}, nil)
}

// newClient is a client of a main API with a handler, and with a clock, time.Now if nil.
func newClient(t *testing.T, handle http.HandlerFunc, now func() time.Time) *mainapi.Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	patient := httpclient.Options{Timeouts: &httpclient.TimeoutOptions{Timeout: time.Hour}} // where memory is measured, collecting garbage takes long
	sender, err := transport.New(transport.Options{HTTP: patient, Service: transport.Service{Name: "mainapi", Title: "The main API"}})
	require.NoError(t, err)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	client := mainapi.New(mainapi.Config{Transport: sender, Base: base, Now: now})
	t.Cleanup(client.Close)
	return client
}

// response is the result of a query.
type response struct {
	Frames data.Frames
	Error  error
}

// run runs a saved query over the hour before noon.
func run(t *testing.T, client *mainapi.Client, saved values) response {
	t.Helper()
	return runWith(t.Context(), t, client, saved, false)
}

// fromAlert runs a query like an alert rule.
func fromAlert(t *testing.T, client *mainapi.Client, saved values) response {
	t.Helper()
	return runWith(t.Context(), t, client, saved, true)
}

func runWith(ctx context.Context, t *testing.T, client *mainapi.Client, saved values, alerting bool) response {
	t.Helper()
	queryType, _ := saved["queryType"].(string)
	frames, err := client.QueryData(ctx, backend.DataQuery{
		RefID: "A", QueryType: queryType, JSON: []byte(encode(saved)), TimeRange: backend.TimeRange{From: noon.Add(-time.Hour), To: noon},
	}, alerting)
	return response{frames, err}
}

// frames runs a query that has a result.
func frames(t *testing.T, client *mainapi.Client, saved values) data.Frames {
	t.Helper()
	got := run(t, client, saved)
	require.NoError(t, got.Error)
	return got.Frames
}

func encode(v any) string {
	encoded, _ := json.Marshal(v)
	return string(encoded)
}
