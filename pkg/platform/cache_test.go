package platform_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// TestCache_TTL counts the requests of queries for the same list.
func TestCache_TTL(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write([]byte(`{"items":[{"id":"a"}]}`))
	}))
	defer server.Close()
	sender, err := transport.New(transport.Options{Service: transport.Service{Name: "main", Title: "The main API"}})
	require.NoError(t, err)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	now := time.Now()
	client := platform.New(platform.Config{Transport: sender, Base: base, Now: func() time.Time { return now }})
	defer client.Close()
	for _, step := range []struct {
		after time.Duration
		want  int32
	}{{0, 1}, {29 * time.Second, 1}, {2 * time.Second, 2}, {29 * time.Second, 2}, {2 * time.Second, 3}} {
		now = now.Add(step.after)
		_, err := client.QueryData(t.Context(), "platform", backend.DataQuery{RefID: "A", JSON: []byte(`{"path":"/v1/storage/disks"}`)}, false)
		require.NoError(t, err)
		require.Equal(t, step.want, requests.Load())
	}
}
