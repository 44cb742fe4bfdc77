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
