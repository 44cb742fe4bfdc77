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

func TestConcurrencyLimit_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, 1)
		s.setHandler(neverRespond)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _ = s.send(ctx) }()
		synctest.Wait()

		waiting, stop := context.WithTimeout(t.Context(), 2*time.Second)
		defer stop()
		err := s.send(waiting)

		require.ErrorIs(t, err, transport.ErrConcurrency)
		require.EqualError(t, err, "The metrics endpoint did not respond in time, because the limit of 1 concurrent requests to it was reached. "+
			"Refresh less often.")
		require.EqualValues(t, 1, s.arrived.Load())
	})
}
