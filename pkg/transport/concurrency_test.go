package transport_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestConcurrencyLimit(t *testing.T) {
	var now, most atomic.Int64
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		at := now.Add(1)
		defer now.Add(-1)
		for seen := most.Load(); at > seen && !most.CompareAndSwap(seen, at); seen = most.Load() {
		}
		time.Sleep(2 * time.Millisecond)
		w.WriteHeader(http.StatusOK)
	})
	client := newClient(t, func(o *transport.Options) { o.MaxConcurrent = 3 })

	var callers sync.WaitGroup
	for range 30 {
		callers.Go(func() {
			_, err := get(t, client, server.URL)
			if err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()

	require.Equal(t, int64(3), most.Load())
}

func TestConcurrencyLimit_Timeout(t *testing.T) {
	respond := make(chan struct{})
	arrived := make(chan struct{}, 2)
	server := serve(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-respond
	})
	client := newClient(t, func(o *transport.Options) {
		o.MaxConcurrent = 1
		o.HTTP.Timeouts.Timeout = 10 * time.Second
	})
	var first sync.WaitGroup
	first.Go(func() { _, _ = get(t, client, server.URL) })
	defer first.Wait()
	defer close(respond)
	<-arrived

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	resp, err := client.Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}

	require.ErrorIs(t, err, transport.ErrTimeout)
	require.EqualError(t, err, "The metrics endpoint did not respond in time, because the limit of 1 concurrent requests to it was reached. "+
		"Refresh less often, or raise Concurrent requests in the data source's settings, section Advanced.")
	require.Empty(t, arrived)
}
