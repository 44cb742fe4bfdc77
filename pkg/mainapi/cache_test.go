package mainapi_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

// TestCache_TTL counts the requests of queries for the same list.
func TestCache_TTL(t *testing.T) {
	var requests atomic.Int32
	now := time.Now()
	client := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write([]byte(`{"items":[{"id":"a"}]}`))
	}, func() time.Time { return now })
	for _, step := range []struct {
		after time.Duration
		want  int32
	}{{0, 1}, {29 * time.Second, 1}, {2 * time.Second, 2}, {29 * time.Second, 2}, {2 * time.Second, 3}} {
		now = now.Add(step.after)
		_, err := client.QueryData(t.Context(), backend.DataQuery{QueryType: "platform", RefID: "A", JSON: []byte(`{"path":"/v1/storage/disks"}`)}, false)
		require.NoError(t, err)
		require.Equal(t, step.want, requests.Load())
	}
}
