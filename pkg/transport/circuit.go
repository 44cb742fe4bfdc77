package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
)

const (
	// restAfter is how many attempts in a row have to fail before a service is left alone.
	restAfter = 10
	// restFor is how long it is left alone before it is tried again.
	restFor = 5 * time.Second
	// trials is how many requests may go out then. One is not enough: it may be a query that takes long by itself.
	trials = 4
)

type probing struct{}

// Probe marks requests that go out even while their service is left alone: someone pressed a button to see what it says.
func Probe(ctx context.Context) context.Context { return context.WithValue(ctx, probing{}, true) }

// rest leaves a service alone that has failed many times in a row, so that viewers and alert rules don't hammer it while
// it is down. It recovers by itself: after a while a few requests are tried, and one that succeeds ends the rest.
//
// What counts as failed is what says that the service is down: no connection, no answer in time, 502, 503, 504. A 500 may
// be the fault of one query, and 429 has a rule of its own.
func rest(s Service) httpclient.Middleware {
	var last atomic.Pointer[Error]
	breaker := circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(restAfter).
		WithDelay(restFor).
		WithSuccessThresholdRatio(1, trials).
		OnStateChanged(func(event circuitbreaker.StateChangedEvent) {
			if event.NewState == circuitbreaker.OpenState {
				rests.WithLabelValues(s.Name).Inc()
			}
			log.DefaultLogger.Info("The platform is left alone, or asked again", "service", s.Name, "circuit", event.NewState.String())
		}).
		Build()
	return httpclient.NamedMiddlewareFunc("rest", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			probe := req.Context().Value(probing{}) != nil
			if !breaker.TryAcquirePermit() && !probe {
				rejected.WithLabelValues(s.Name, "resting").Inc()
				return nil, s.resting(last.Load(), breaker.RemainingDelay())
			}
			resp, err := next.RoundTrip(req)
			switch failure := s.down(resp, err); {
			case failure != nil:
				last.Store(failure)
				breaker.RecordFailure()
			case err == nil:
				breaker.RecordSuccess()
			case breaker.IsHalfOpen():
				// A caller who went away says nothing about the service, but a trial that isn't recorded is never given back.
				breaker.RecordFailure()
			}
			return resp, err
		})
	})
}

// down is the failure that an attempt shows, nil if it doesn't show that the service is down.
func (s Service) down(resp *http.Response, err error) *Error {
	if err == nil {
		switch resp.StatusCode {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return s.fromStatus(resp.StatusCode, "", 0)
		}
		return nil
	}
	explained := s.fromError(err)
	if errors.Is(explained, ErrUnavailable) || errors.Is(explained, ErrTimeout) {
		return explained
	}
	return nil
}

// resting says that a service is left alone, why, and for how long.
func (s Service) resting(last *Error, remaining time.Duration) *Error {
	e := &Error{Kind: ErrUnavailable, Status: http.StatusServiceUnavailable, RetryAfter: max(remaining, time.Second)}
	e.Message = fmt.Sprintf("%s failed %d times in a row, so it is left alone for a few seconds and then asked again.", s.Title, restAfter)
	if last != nil {
		e.Message += " The last failure: " + last.Message
	}
	return e
}
