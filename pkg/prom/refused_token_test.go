package prom_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Who has no access any more does not see what was fetched before.
func TestCache_ClearedByRefusedToken(t *testing.T) {
	for _, refusal := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		var refused atomic.Bool
		var requests atomic.Int32
		address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			if refused.Load() {
				w.WriteHeader(refusal)
				return
			}
			_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)
		}))
		client := prom.New(prom.Config{Transport: newTransport(t), Base: address, Now: newClock().now, Cache: cached})
		t.Cleanup(client.Close)
		query := func(expr string) error {
			_, err := client.QueryRange(t.Context(), rangeOf(expr, day))
			return err
		}
		require.NoError(t, query("up"))
		require.NoError(t, query("up"))
		require.EqualValues(t, 1, requests.Load())
		refused.Store(true)
		require.ErrorIs(t, query("another"), transport.ErrCredential)
		require.ErrorIs(t, query("up"), transport.ErrCredential, refusal)
	}
}
