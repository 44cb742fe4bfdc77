package plugin

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// platformOf is a client of a platform in this goroutine's time, without a network.
func platformOf(t *testing.T, respond func(*http.Request) string) *transport.Client {
	t.Helper()
	client, err := transport.New(transport.Options{
		Service: transport.Service{Name: "metrics", Title: "The metrics endpoint"}, Streaming: true,
		Authorize: func(http.RoundTripper) http.RoundTripper {
			return httpclient.RoundTripperFunc(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(respond(r)))}, nil
			})
		},
	})
	require.NoError(t, err)
	return client
}

// unread is a response whose reader takes nothing until it leaves.
type unread struct {
	*httptest.ResponseRecorder
	leave chan struct{}
	begun atomic.Bool // something was written
}

func (u *unread) Write(b []byte) (int, error) {
	u.begun.Store(true)
	<-u.leave
	return len(b), nil
}

func TestStreams_ReaderStalls(t *testing.T) {
	now := time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)
	const vector = `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"up"},"value":[1748865600,"1"]}]}}`
	const matrix = `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up"},"values":[[1748865600,"1"]]}]}}`
	base := &url.URL{Scheme: "http", Host: "platform.test"}
	respond := func(r *http.Request) string {
		switch query := r.URL.Query().Get("query"); {
		case strings.Contains(query, "now()"):
			return `{"status":"error","errorType":"bad_data","error":"unknown function"}`
		case strings.Contains(query, "["):
			return matrix
		case strings.HasSuffix(r.URL.Path, "/values"):
			return `{"status":"success","data":["up"]}`
		case strings.HasSuffix(r.URL.Path, "/content"):
			return "PK\x03\x04 an archive"
		}
		return vector
	}
	for path, slots := range map[string]int{
		"/federate?match[]=up": maxFeeds, "/export?match[]=up&start=2025-06-02T11:00:00Z&end=2025-06-02T12:00:00Z": maxFeeds, "/checkpoints/c/content": maxDownloads,
	} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ds := &Datasource{}
				client := platformOf(t, respond)
				ds.metrics.client = prom.New(prom.Config{Transport: client, Base: base, Now: func() time.Time { return now }})
				ds.gateway.client = &jobs.Client{Client: gateway.New(gateway.Config{Transport: client, Downloads: client, Base: base})}
				defer ds.gateway.client.Close()
				routes := ds.routes()
				call := func(w http.ResponseWriter) {
					r := httptest.NewRequest(http.MethodGet, path, nil)
					ctx := backend.WithPluginContext(t.Context(), backend.PluginContext{User: &backend.User{Role: "Editor"}})
					defer func() { _ = recover() }() // a response that broke off
					routes.ServeHTTP(w, r.WithContext(ctx))
				}
				leave := make(chan struct{})
				defer close(leave)
				for range slots {
					go call(&unread{ResponseRecorder: httptest.NewRecorder(), leave: leave})
				}
				synctest.Wait()
				status := func() int {
					w := httptest.NewRecorder()
					call(w)
					return w.Code
				}
				require.Equal(t, http.StatusTooManyRequests, status())
				if federate := "/federate?match[]=up"; path != federate {
					w := httptest.NewRecorder()
					routes.ServeHTTP(w, httptest.NewRequest(http.MethodGet, federate, nil))
					require.Equal(t, http.StatusOK, w.Code, "federate has slots of its own")
				}
				time.Sleep(stallTimeout - time.Millisecond)
				synctest.Wait()
				require.Equal(t, http.StatusTooManyRequests, status())
				time.Sleep(time.Millisecond)
				synctest.Wait()
				require.Equal(t, http.StatusOK, status(), "the slots are free although the writers still block")
			})
		})
	}
}

// Large responses whose readers are slow hold no permit of queries. Two are encoded at a time, and few wait.
func TestResources_LargeResponsesHoldNoPermits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)
		sample := `{"metric":{"a":"b"},"values":[[1748865600,"1"]]}`
		large := `{"status":"success","data":{"resultType":"matrix","result":[` + strings.Repeat(sample+",", maxSmallResponse/16) + sample + `]}}`
		ds := &Datasource{}
		client := platformOf(t, func(r *http.Request) string {
			if r.URL.Query().Get("query") == "large" {
				return large
			}
			return `{"status":"success","data":{"resultType":"matrix","result":[` + sample + `]}}`
		})
		ds.metrics.client = prom.New(prom.Config{
			Transport: client, Base: &url.URL{Scheme: "http", Host: "platform.test"}, Now: func() time.Time { return now },
			Cache: prom.Cache{MaxBytes: 1 << 30, RecentWindow: time.Minute},
		})
		defer ds.metrics.client.Close()
		ds.admission = newAdmission(ds.newHandlers(), 30*time.Second)
		routes := ds.routes()
		call := func(w http.ResponseWriter, query string) {
			defer func() { _ = recover() }() // a response that broke off
			r := httptest.NewRequest(http.MethodGet, "/api/v1/query_range?start=1748865600&end=1748865600&step=60&query="+query, nil)
			routes.ServeHTTP(w, r.WithContext(t.Context()))
		}
		leave := make(chan struct{})
		defer close(leave)
		slow := make([]unread, maxConcurrentQueries)
		for i := range slow {
			slow[i] = unread{ResponseRecorder: httptest.NewRecorder(), leave: leave}
			go call(&slow[i], "large")
		}
		synctest.Wait()
		refused, encoded := 0, 0
		for i := range slow {
			switch {
			case slow[i].Code == http.StatusTooManyRequests:
				refused++
			case slow[i].begun.Load():
				encoded++
			}
		}
		require.Equal(t, 2, encoded, "docs/reference/limits.md")
		require.Equal(t, maxConcurrentQueries-maxLarge-maxWaiting, refused, "who neither reads nor waits")
		began, w := time.Now(), httptest.NewRecorder()
		call(w, "up")
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, began, time.Now(), "it waits for none of them")
	})
}
