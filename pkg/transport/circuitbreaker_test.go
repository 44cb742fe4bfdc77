package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"
)

// attempts sends requests through the circuit breaker to a service that responds with status, or err, and counts them.
type attempts struct {
	status  int
	err     error
	panics  bool
	arrived int
	circuit http.RoundTripper
}

func newAttempts() *attempts {
	a := &attempts{status: http.StatusOK}
	service := Service{Name: "test", Title: "The metrics endpoint", Credential: "monitoring token"}
	a.circuit = withCircuitBreaker(service, httpclient.RoundTripperFunc(func(*http.Request) (*http.Response, error) {
		a.arrived++
		if a.panics {
			panic("a defect")
		}
		if a.err != nil {
			return nil, a.err
		}
		return &http.Response{StatusCode: a.status, Body: io.NopCloser(strings.NewReader("")), Header: http.Header{}}, nil
	}))
	return a
}

func withCircuitBreaker(s Service, next http.RoundTripper) http.RoundTripper {
	return attempt(s, 0).CreateMiddleware(httpclient.Options{}, next)
}

func (a *attempts) send(ctx context.Context) error {
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://platform.test/", nil)
	resp, err := a.circuit.RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return err
}

func (a *attempts) sendMany(ctx context.Context, n int) {
	for range n {
		_ = a.send(ctx)
	}
}

func TestCircuitBreaker_Open(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts()
		a.status = http.StatusServiceUnavailable
		a.sendMany(t.Context(), 500)
		require.Equal(t, failureThreshold, a.arrived)

		var explained *Error
		require.ErrorAs(t, a.send(t.Context()), &explained)
		require.ErrorIs(t, explained, ErrUnavailable)
		require.Equal(t, http.StatusServiceUnavailable, explained.Status)
		require.Equal(t, "The metrics endpoint failed 10 times in a row. Requests to it are paused for a few seconds.", explained.Message)
	})
}

func TestCircuitBreaker_ClosesAfterRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts()
		a.err = errors.New("connection refused")
		a.sendMany(t.Context(), failureThreshold)
		require.Error(t, a.send(t.Context()))

		time.Sleep(openFor)
		a.sendMany(t.Context(), 100)
		require.Equal(t, failureThreshold+halfOpenTrials, a.arrived, "only the trial requests are sent")

		time.Sleep(openFor)
		a.err = nil
		a.arrived = 0
		a.sendMany(t.Context(), 100)
		require.Equal(t, 100, a.arrived)
	})
}

func TestCircuitBreaker_ProbeWhileOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts()
		a.status = http.StatusBadGateway
		a.sendMany(t.Context(), failureThreshold)
		require.Error(t, a.send(t.Context()))

		require.EqualError(t, a.send(Probe(t.Context())), "The metrics endpoint failed (502).")
		require.Equal(t, failureThreshold+1, a.arrived)
	})
}

func TestCircuitBreaker_IgnoredFailures(t *testing.T) {
	tests := map[string]func(a *attempts){
		"internal server error":     func(a *attempts) { a.status = http.StatusInternalServerError },
		"a refused credential":      func(a *attempts) { a.status = http.StatusUnauthorized },
		"a rate limit":              func(a *attempts) { a.status = http.StatusTooManyRequests },
		"cancellation":              func(a *attempts) { a.err = context.Canceled },
		"redirect":                  func(a *attempts) { a.status = http.StatusFound },
		"response timeout":          func(a *attempts) { a.err = context.DeadlineExceeded },
		"concurrency limit timeout": func(a *attempts) { a.err = &Error{Kind: ErrConcurrency} },
	}
	for name, fail := range tests {
		t.Run(name, func(t *testing.T) {
			a := newAttempts()
			fail(a)
			a.sendMany(t.Context(), 3*failureThreshold)
			require.Equal(t, 3*failureThreshold, a.arrived)
		})
	}
}

func TestCircuitBreaker_TrialsReleased(t *testing.T) {
	for name, err := range map[string]error{"cancellations": context.Canceled, "response timeouts": context.DeadlineExceeded} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAttempts()
				a.status = http.StatusBadGateway
				a.sendMany(t.Context(), failureThreshold)

				time.Sleep(openFor)
				a.err, a.arrived = err, 0
				a.sendMany(t.Context(), 10*halfOpenTrials)
				require.Equal(t, 10*halfOpenTrials, a.arrived, "each consecutive request is a trial")

				a.err, a.status = nil, http.StatusOK
				require.NoError(t, a.send(t.Context()))
			})
		})
	}
}

func TestCircuitBreaker_TrialPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts()
		a.status = http.StatusBadGateway
		a.sendMany(t.Context(), failureThreshold)
		time.Sleep(openFor)
		a.panics = true
		for range halfOpenTrials {
			require.Panics(t, func() { _ = a.send(t.Context()) })
		}
		a.panics, a.status = false, http.StatusOK
		require.NoError(t, a.send(t.Context()), "each has given its permit back")
	})
}

func TestCircuitBreaker_TrialLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := Service{Name: "test", Title: "The service"}
		response := make(chan error)
		failing := true
		circuit := withCircuitBreaker(service, httpclient.RoundTripperFunc(func(*http.Request) (*http.Response, error) {
			if failing {
				return nil, errors.New("connection refused")
			}
			return nil, <-response
		}))
		a := &attempts{circuit: circuit}
		a.sendMany(t.Context(), failureThreshold)
		failing = false
		time.Sleep(openFor)

		for range 3 * halfOpenTrials {
			go func() { _ = a.send(t.Context()) }()
		}
		synctest.Wait()
		under := 0
		for range 3 * halfOpenTrials {
			select {
			case response <- context.DeadlineExceeded:
				under++
			default:
			}
		}
		require.Equal(t, halfOpenTrials, under)
	})
}
