package transport_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestRetryAfter_LongWait(t *testing.T) {
	for name, test := range map[string]struct {
		header, value string
		says          string
	}{
		"an hour":           {"Retry-After", "3600", "Try again in 1h0m0s"},
		"milliseconds":      {"Retry-After-Ms", "90000", "Try again in 1m30s"},
		"a number too long": {"Retry-After", "1e300", "Try again in 8760h0m0s"},
		"forever":           {"Retry-After", "Inf", "Try again in 8760h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				w.Header()[test.header] = []string{test.value}
				w.WriteHeader(http.StatusTooManyRequests)
			})
			// A download has no timeout, and Grafana gives it no deadline.
			client := newClient(t, func(o *transport.Options) { o.Streaming = true })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := client.Send(withoutDeadline{ctx}, parsed(t, server.URL), nil) //nolint:bodyclose // there is none
			require.ErrorIs(t, err, transport.ErrRateLimited)
			require.ErrorContains(t, err, test.says)
			require.EqualValues(t, 1, calls.Load())
		})
	}
}

// withoutDeadline ends with its context and has no deadline.
type withoutDeadline struct{ context.Context }

func (withoutDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }
