package transport_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestConcurrencyLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		s := newService(t, 3)
		s.setHandler(func(w http.ResponseWriter, _ *http.Request) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(10 * time.Millisecond) // until all that may have arrived
			w.WriteHeader(http.StatusOK)
		})
		var callers sync.WaitGroup
		for range 30 {
			callers.Go(func() {
				if err := s.send(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()

		require.Equal(t, int64(3), most.Load())
	})
}

// A caller with a deadline still has a tenth of its time when no permit became free, so that it receives the reason.
func TestConcurrencyLimit_BeforeTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, 1)
		s.setHandler(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		holder, release := context.WithCancel(t.Context())
		defer release()
		go func() { _ = s.send(holder) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		require.ErrorIs(t, s.send(ctx), transport.ErrConcurrency)
		require.Equal(t, 9*time.Second, time.Since(began))
		require.NoError(t, ctx.Err())
	})
}

// A defect in the way of a request takes no permit from those after it.
func TestConcurrencyLimit_ReleasedOnPanic(t *testing.T) {
	panics := true
	address := serve(t, respondWith(http.StatusOK, "{}")).URL
	client := newClient(t, func(o *transport.Options) {
		o.MaxConcurrent = 1
		o.Authorize = func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(req *http.Request) (*http.Response, error) {
				if panics {
					panic("a defect")
				}
				return next.RoundTrip(req)
			})
		}
	})
	require.Panics(t, func() { _, _ = get(t, client, address) })
	panics = false
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := send(ctx, t, client, address)
	require.NoError(t, err)
}
