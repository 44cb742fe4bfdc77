package transport

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"
)

// retrying is a client of a service whose responses take a second.
func retrying(status func(attempt int32) int) (client *Client, attempts *atomic.Int32) {
	attempts = &atomic.Int32{}
	service := Service{Name: "test", Title: "The metrics endpoint"}
	next := httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
		n := attempts.Add(1)
		if req.Body != nil {
			_, _ = io.Copy(io.Discard, req.Body)
		}
		time.Sleep(time.Second)
		return &http.Response{StatusCode: status(n), Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{}, Request: req}, nil
	})
	chain := retries().CreateMiddleware(httpclient.Options{}, attempt(service).CreateMiddleware(httpclient.Options{}, next))
	return &Client{http: &http.Client{Transport: chain}, Service: service}, attempts
}

func TestRetryBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, attempts := retrying(func(int32) int { return http.StatusTooManyRequests })
		var group sync.WaitGroup
		var atOnce atomic.Int32 // that fail without a wait
		began := time.Now()
		for range 100 {
			group.Go(func() {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://platform.test/", nil)
				if err != nil {
					t.Error(err)
					return
				}
				_, err = client.Do(req) //nolint:bodyclose // there is none
				var failed *Error
				if !errors.As(err, &failed) || !errors.Is(failed, ErrRateLimited) {
					t.Error(err)
				}
				if time.Since(began) == time.Second {
					atOnce.Add(1)
				}
			})
		}
		group.Wait()
		require.EqualValues(t, 80, atOnce.Load())
		require.Less(t, int(attempts.Load()), 200, "not the 400 of three retries each")
		require.Greater(t, int(attempts.Load()), 108, "some are repeated")
	})
}

func TestRetry_PostThatReads(t *testing.T) {
	for name, test := range map[string]struct {
		mark     bool
		attempts int32
	}{"marked": {true, 2}, "any other": {false, 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, attempts := retrying(func(n int32) int {
					if n == 1 {
						return http.StatusServiceUnavailable
					}
					return http.StatusOK
				})
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://platform.test/", strings.NewReader("query=up"))
				require.NoError(t, err)
				if test.mark {
					req.Header[idempotencyKey] = []string{}
				}
				resp, err := client.Do(req)
				if err == nil {
					_ = resp.Body.Close()
				}
				require.Equal(t, test.mark, err == nil)
				require.Equal(t, test.attempts, attempts.Load())
			})
		})
	}
}
