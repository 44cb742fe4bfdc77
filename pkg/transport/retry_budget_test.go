package transport

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"
)

// somewhere is an address whose requests a test serves.
var somewhere = &url.URL{Scheme: "http", Host: "platform.test", Path: "/"}

// retrying is a client of a service whose responses take a second.
func retrying(status func(attempt int32) int) (client *Client, attempts *atomic.Int32) {
	attempts = &atomic.Int32{}
	service := Service{Name: "test", Title: "The metrics endpoint"}
	next := httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
		n := attempts.Add(1)
		if body, err := io.ReadAll(req.Body); req.Method == http.MethodPost && (err != nil || string(body) != "query=up") {
			return nil, errors.New("without its form")
		}
		time.Sleep(time.Second)
		return &http.Response{StatusCode: status(n), Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{}, Request: req}, nil
	})
	chain := retries().CreateMiddleware(httpclient.Options{}, attempt(service, 0).CreateMiddleware(httpclient.Options{}, next))
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
				_, err := client.Send(t.Context(), somewhere, nil) //nolint:bodyclose // there is none
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

// A form is sent anew with each attempt.
func TestRetry_Form(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, attempts := retrying(func(n int32) int {
			if n == 1 {
				return http.StatusServiceUnavailable
			}
			return http.StatusOK
		})
		resp, err := client.Send(t.Context(), somewhere, url.Values{"query": {"up"}})
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.EqualValues(t, 2, attempts.Load())
	})
}
