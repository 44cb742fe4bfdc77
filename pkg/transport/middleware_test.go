package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// many requests open the circuit breaker if each of them counts as a failure.
const many = 24

// service is a platform without a network whose handler a test replaces, and a client with all middlewares: retries, circuit
// breaker, concurrency limit. In a synctest bubble its time is virtual.
type service struct {
	client  *transport.Client
	arrived atomic.Int32
	handle  atomic.Pointer[http.HandlerFunc]
}

func newService(t *testing.T, concurrent int) *service {
	t.Helper()
	s := &service{}
	s.setHandler(respondWith(http.StatusOK, "{}"))
	s.client = newClient(t, func(o *transport.Options) {
		o.MaxConcurrent = concurrent
		o.HTTP.ConfigureMiddleware = func(_ httpclient.Options, all []httpclient.Middleware) []httpclient.Middleware {
			return append(all, httpclient.MiddlewareFunc(func(httpclient.Options, http.RoundTripper) http.RoundTripper { return roundTripper(s.respond) }))
		}
	})
	return s
}

// respond calls the handler. A handler that aborts is a connection that ends.
func (s *service) respond(req *http.Request) (resp *http.Response, err error) {
	defer func() {
		if aborted, _ := recover().(error); errors.Is(aborted, http.ErrAbortHandler) {
			err = io.EOF
		}
	}()
	s.arrived.Add(1)
	recorder := httptest.NewRecorder()
	(*s.handle.Load())(recorder, req)
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	resp = recorder.Result()
	resp.Request = req
	return resp, nil
}

func (s *service) setHandler(handle http.HandlerFunc) { s.handle.Store(&handle) }

// send makes a request and reads its response.
func (s *service) send(ctx context.Context) error {
	resp, err := s.client.Send(ctx, &url.URL{Scheme: "http", Host: "platform.test", Path: "/"}, nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// sendMany makes concurrent requests, each with its own deadline, and returns their errors.
func (s *service) sendMany(ctx context.Context, within time.Duration) []error {
	failures := make([]error, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, within)
			defer cancel()
			failures[i] = s.send(ctx)
		})
	}
	all.Wait()
	return failures
}

// requireHealthy checks that the circuit breaker is closed and that all slots of the concurrency limit are free.
func (s *service) requireHealthy(t *testing.T, concurrent int) {
	t.Helper()
	var under atomic.Int32
	all := make(chan struct{})
	s.setHandler(func(_ http.ResponseWriter, r *http.Request) {
		if under.Add(1) == int32(concurrent) {
			close(all)
		}
		select {
		case <-all:
		case <-r.Context().Done():
		}
	})
	var requests sync.WaitGroup
	failures := make([]error, concurrent)
	for i := range concurrent {
		requests.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
			defer cancel()
			failures[i] = s.send(ctx)
		})
	}
	requests.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
}

// inBubble runs a subtest in virtual time.
func inBubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

func neverRespond(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func prometheusError(status int, errorType, text string) http.HandlerFunc {
	return respondWith(status, fmt.Sprintf(`{"status":"error","errorType":%q,"error":%q}`, errorType, text))
}

// The circuit breaker stays closed and every slot of the concurrency limit is released, for each outcome of requests while
// the platform is up.
func TestCircuitBreaker_StaysClosedWhileUp(t *testing.T) {
	const concurrent = 2
	tests := map[string]struct {
		handle http.HandlerFunc
		within time.Duration
		// cancelAfter is the time after which callers cancel; 0 is never.
		cancelAfter time.Duration
		kind        error
	}{
		"a queue that is too long":                     {handle: neverRespond, within: 300 * time.Millisecond, kind: transport.ErrTimeout},
		"canceled while queueing":                      {handle: neverRespond, within: 4 * time.Second, cancelAfter: 100 * time.Millisecond, kind: transport.ErrCanceled},
		"the engine's own time limit":                  {handle: prometheusError(503, "timeout", "query timed out in expression evaluation"), within: 4 * time.Second, kind: transport.ErrTimeout},
		"an engine that is not ready":                  {handle: prometheusError(503, "unavailable", "TSDB not ready"), within: 4 * time.Second, kind: transport.ErrUnavailable},
		"a gateway that knows the engine's time is up": {handle: prometheusError(504, "timeout", "query timed out"), within: 4 * time.Second, kind: transport.ErrTimeout},
	}
	for name, test := range tests {
		inBubble(t, name, func(t *testing.T) {
			s := newService(t, concurrent)
			s.setHandler(test.handle)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.cancelAfter > 0 {
				time.AfterFunc(test.cancelAfter, cancel)
			}
			for _, err := range s.sendMany(ctx, test.within) {
				if !errors.Is(err, transport.ErrConcurrency) { // those that got no permit
					require.ErrorIs(t, err, test.kind)
				}
			}
			require.LessOrEqual(t, s.arrived.Load(), int32(many), "none is retried")
			s.requireHealthy(t, concurrent)
		})
	}
	inBubble(t, "queries that take longer than their own time", func(t *testing.T) {
		s := newService(t, many*4/3) // a quarter is for alert rules
		s.setHandler(neverRespond)
		for _, err := range s.sendMany(t.Context(), 200*time.Millisecond) {
			require.ErrorIs(t, err, transport.ErrTimeout)
		}
		require.EqualValues(t, many, s.arrived.Load())
		s.requireHealthy(t, many)
	})
	inBubble(t, "everything at once", func(t *testing.T) {
		s := newService(t, concurrent)
		timeout, slow := prometheusError(503, "timeout", "query timed out"), respondWith(http.StatusOK, "{}")
		s.setHandler(func(w http.ResponseWriter, r *http.Request) {
			switch s.arrived.Load() % 3 {
			case 0:
				neverRespond(w, r)
			case 1:
				timeout(w, r)
			default:
				time.Sleep(10 * time.Millisecond)
				slow(w, r)
			}
		})
		canceled, cancel := context.WithCancel(t.Context())
		var rounds sync.WaitGroup
		rounds.Go(func() { s.sendMany(t.Context(), 300*time.Millisecond) })
		rounds.Go(func() { s.sendMany(canceled, 2*time.Second) })
		time.Sleep(150 * time.Millisecond)
		cancel()
		rounds.Wait()
		s.requireHealthy(t, concurrent)
	})
}

// If the header of a response arrives while its caller cancels, there is a response, which the caller closes.
func TestConcurrencyLimit_ReleasedOnCancel(t *testing.T) {
	const concurrent = 2
	var leave context.CancelFunc
	address := serve(t, respondWith(http.StatusOK, "{}")).URL
	client := newClient(t, func(o *transport.Options) {
		o.MaxConcurrent = concurrent
		o.Authorize = func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(req *http.Request) (*http.Response, error) {
				resp, err := next.RoundTrip(req)
				if req.URL.Path == "/canceled" {
					leave()
				}
				return resp, err
			})
		}
	})
	for range concurrent {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		leave = cancel
		resp, err := client.Send(ctx, parsed(t, address+"/canceled"), nil)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	for range concurrent {
		_, err := get(t, client, address)
		require.NoError(t, err)
	}
}

func TestConcurrencyLimit_HeldUntilBodyClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, 1)
		resp, err := s.client.Send(t.Context(), parsed(t, "http://platform.test/"), nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)

		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		require.ErrorContains(t, s.send(ctx), "the limit of 1 concurrent requests")

		require.NoError(t, resp.Body.Close())
		require.NoError(t, s.send(t.Context()))
		require.NoError(t, resp.Body.Close(), "a second time gives back nothing")
		s.requireHealthy(t, 1)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
