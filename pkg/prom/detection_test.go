package prom_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// A rollout of the platform answers with 404 for a moment, or moves its endpoints.
func TestEndpoints_DetectedAgain(t *testing.T) {
	clock := newClock()
	var served atomic.Pointer[string]
	serveOnly := func(path string) { served.Store(&path) }
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, *served.Load()) {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)
	}))
	client := prom.New(prom.Config{Transport: newTransport(t), Base: address, Now: clock.now})
	t.Cleanup(client.Close)
	query := func() error {
		_, err := client.QueryRange(t.Context(), rangeOf(`up`, day))
		return err
	}
	serveOnly("/query_range")
	require.NoError(t, query())
	serveOnly("/query-range")
	require.ErrorIs(t, query(), transport.ErrNotFound)
	clock.advance(5 * time.Minute)
	require.NoError(t, query())
}

func TestLists_DetectedAgain(t *testing.T) {
	clock := newClock()
	var rollout atomic.Bool
	var labels atomic.Int32
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data := `{"resultType":"vector","result":[{"metric":{"__name__":"up","a":"b"},"value":[1748865600,"1"]}]}`
		if strings.HasSuffix(r.URL.Path, "/labels") {
			labels.Add(1)
			if rollout.Load() {
				http.NotFound(w, r)
				return
			}
			data = `["__name__","a"]`
		}
		_, _ = io.WriteString(w, `{"status":"success","data":`+data+`}`)
	}))
	client := prom.New(prom.Config{Transport: newTransport(t), Base: address, Now: clock.now})
	t.Cleanup(client.Close)
	names := func() {
		_, err := client.LabelNames(t.Context(), url.Values{})
		require.NoError(t, err)
	}
	rollout.Store(true)
	names()
	rollout.Store(false)
	before := labels.Load()
	names()
	require.Equal(t, before, labels.Load(), "derived by PromQL for a while")
	clock.advance(5 * time.Minute)
	names()
	require.Greater(t, labels.Load(), before)
}
