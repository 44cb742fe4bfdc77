package transport_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
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
