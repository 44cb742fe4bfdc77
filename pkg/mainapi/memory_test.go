package mainapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// smallItems is a list whose items take most memory for their length.
func smallItems(bytes int) string {
	const item = `{"a":1},`
	return `{"items":[` + strings.Repeat(item, bytes/len(item)-1) + `{"a":1}]}`
}

// clientOf is a client of a platform with one response.
func clientOf(t *testing.T, body string) *mainapi.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	sender, err := transport.New(transport.Options{Service: transport.Service{Name: "mainapi", Title: "The main API"}})
	require.NoError(t, err)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	client := mainapi.New(mainapi.Config{Transport: sender, Base: base})
	t.Cleanup(client.Close)
	return client
}

func list(t *testing.T, client *mainapi.Client) {
	t.Helper()
	frames, err := client.QueryData(t.Context(), "platform", backend.DataQuery{RefID: "A", JSON: []byte(`{"path":"/v1/x"}`)}, false)
	require.NoError(t, err)
	require.NotZero(t, frames[0].Rows())
}

// peak is by how much the objects on the heap grow during a call.
func peak(call func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
	heap := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before, highest := heap(), uint64(0)
	done := make(chan struct{})
	go func() {
		call()
		close(done)
	}()
	for {
		select {
		case <-done:
			return max(highest, before) - before
		case <-time.After(time.Millisecond):
			highest = max(highest, heap())
		}
	}
}

func TestList_PeakMemory(t *testing.T) {
	for name, body := range map[string]string{
		"small items":    smallItems(16 << 20),
		"large items":    `{"items":[` + strings.Repeat(`{"a":"`+strings.Repeat("x", 1<<20)+`"},`, 30) + `{}]}`,
		"another member": `{"others":` + smallItems(16<<20) + `,"items":[{"a":1}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			client := clientOf(t, body)
			require.LessOrEqual(t, peak(func() { list(t, client) }), uint64(4*len(body)))
		})
	}
}

func TestList_CachedMemory(t *testing.T) {
	body := smallItems(400_000)
	client := clientOf(t, body)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	list(t, client)
	for range 3 { // pools survive two collections
		runtime.GC()
	}
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(4*len(body)))
	runtime.KeepAlive(client)
}
