//go:build unix

package faults

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/process"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// The test is the backend, too: Grafana's part starts this very program, which then serves.
func TestShutdown_InFlightRequests(t *testing.T) {
	arrived := make(chan struct{}, 8)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	executable, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	started, err := process.Start(ctx, process.Config{Path: executable, GrafanaVersion: "12.4.0", Log: hclog.NewNullLogger()})
	require.NoError(t, err)
	defer started.Wait()
	defer cancel()
	clients, err := started.Clients()
	require.NoError(t, err)
	pid := started.PID()
	settings, err := json.Marshal(values{"baseUrl": server.URL, "projectId": projectID, "intelligenceUrl": server.URL + platform.TuningPath})
	require.NoError(t, err)
	to := backend.ToProto().PluginContext(backend.PluginContext{
		Namespace: "default", PluginID: plugin.ID, User: &backend.User{Role: "Editor"},
		DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
			UID: "stopped", JSONData: settings, DecryptedSecureJSONData: map[string]string{"monitoringToken": monitoringToken, "inferenceApiKey": inferenceAPIKey},
		},
	})

	const messageOf = "The data source's process is being stopped"
	var all sync.WaitGroup
	for _, saved := range []string{`{"expr":"up"}`, `{"queryType":"fineTuningJobs"}`} {
		all.Go(func() {
			response, err := clients.Data.QueryData(ctx, &pluginv2.QueryDataRequest{PluginContext: to, Queries: []*pluginv2.DataQuery{{
				RefId: "A", Json: []byte(saved), MaxDataPoints: 100, IntervalMS: 60_000,
				TimeRange: &pluginv2.TimeRange{FromEpochMS: span.From.UnixMilli(), ToEpochMS: span.To.UnixMilli()},
			}}})
			if assert.NoError(t, err) {
				assert.Contains(t, response.Responses["A"].Error, messageOf)
				assert.EqualValues(t, http.StatusServiceUnavailable, response.Responses["A"].Status)
			}
		})
	}
	all.Go(func() {
		stream, err := clients.Resource.CallResource(ctx, &pluginv2.CallResourceRequest{PluginContext: to, Method: http.MethodGet, Path: "api/v1/labels", Url: "api/v1/labels"})
		if assert.NoError(t, err) {
			message, err := stream.Recv()
			if assert.NoError(t, err) {
				assert.Contains(t, string(message.Body), messageOf)
			}
		}
	})
	for range 3 {
		<-arrived
	}

	require.NoError(t, syscall.Kill(pid, syscall.SIGTERM))

	all.Wait()
	require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil }, 10*time.Second, 10*time.Millisecond, "the process ends")
}

func TestDispose_InFlightRequests(t *testing.T) {
	reached, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(reached) })
		<-goOn
		healthy().ServeHTTP(w, r)
	}))
	defer server.Close()
	ds := newDatasource(t, server.URL, nil, nil)
	var got outcome
	var running sync.WaitGroup
	running.Go(func() { got = query(values{"expr": "DCGM_FI_DEV_GPU_UTIL"})(t.Context(), ds) })
	<-reached

	ds.Dispose()
	close(goOn)

	running.Wait()
	require.False(t, got.failed, got.text)
	require.NotEmpty(t, got.complete)
}

func TestDispose_NoConnections(t *testing.T) {
	var open sync.Map
	server := httptest.NewUnstartedServer(healthy())
	server.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Store(conn, true)
		case http.StateClosed:
			open.Delete(conn)
		}
	}
	server.Start()
	defer server.Close()
	ds := newDatasource(t, server.URL, nil, nil)
	for _, d := range endpoints {
		require.False(t, d.call(t.Context(), ds).failed, "%s, %s", d.service, d.name)
	}
	require.NotZero(t, connections(&open), "connections are kept for the next question")

	ds.Dispose()

	require.Eventually(t, func() bool { return connections(&open) == 0 }, 10*time.Second, 10*time.Millisecond)
}

func connections(open *sync.Map) (n int) {
	open.Range(func(any, any) bool { n++; return true })
	return n
}
