package transport

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"golang.org/x/sync/semaphore"
)

const (
	// failureThreshold is the number of consecutive failed attempts that opens the circuit breaker.
	failureThreshold = 10
	// openFor is the time from open to half-open.
	openFor = 5 * time.Second
	// halfOpenTrials is the number of concurrent trial requests while half-open. With one, a slow query would delay closing.
	halfOpenTrials = 4
)

type probeKey struct{}

// Probe marks requests of health checks. They are sent even while the circuit breaker is open, and they aren't retried,
// because the user wants to know the present state of the service.
func Probe(ctx context.Context) context.Context { return context.WithValue(ctx, probeKey{}, true) }

func isProbe(ctx context.Context) bool { return ctx.Value(probeKey{}) != nil }

// circuitBreaker rejects requests to a service after failureThreshold consecutive failures. While it is half-open it sends
// a few trial requests, and closes with the first success. [Service.outage] defines a failure.
func circuitBreaker(s Service) httpclient.Middleware {
	c := newCircuit(s)
	return httpclient.NamedMiddlewareFunc("circuit-breaker", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			release, allowed := c.acquire()
			defer release()
			if !allowed && !isProbe(req.Context()) {
				rejected.WithLabelValues(s.Name, c.state()).Inc()
				return nil, s.circuitOpen(c.last.Load(), c.breaker.RemainingDelay())
			}
			resp, err := next.RoundTrip(req)
			c.record(s.outage(req.Context(), resp, err), err)
			return resp, err
		})
	})
}

// circuit is a circuit breaker whose trial requests may end without a result, for example by cancellation. The library
// returns its own permits only with a success or a failure.
type circuit struct {
	breaker circuitbreaker.CircuitBreaker[any]
	trials  *semaphore.Weighted
	last    atomic.Pointer[Error]
}

func newCircuit(s Service) *circuit {
	breaker := circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(failureThreshold).
		WithDelay(openFor).
		WithSuccessThresholdRatio(1, halfOpenTrials).
		OnStateChanged(func(event circuitbreaker.StateChangedEvent) {
			log.DefaultLogger.Info("A circuit breaker changed its state", "service", s.Name, "circuit", event.NewState.String())
		}).
		Build()
	return &circuit{breaker: breaker, trials: semaphore.NewWeighted(halfOpenTrials)}
}

// acquire reports whether a request may be sent. The caller calls release when the request has ended, allowed or not.
func (c *circuit) acquire() (release func(), allowed bool) {
	if c.breaker.IsOpen() && c.breaker.RemainingDelay() == 0 {
		c.breaker.HalfOpen()
	}
	switch {
	case c.breaker.IsClosed():
		return func() {}, true
	case c.breaker.IsHalfOpen() && c.trials.TryAcquire(1):
		return func() { c.trials.Release(1) }, true
	}
	return func() {}, false
}

// state is the reason for a rejection, for the metric.
func (c *circuit) state() string {
	if c.breaker.IsHalfOpen() {
		return "half_open"
	}
	return "open"
}

// record counts a response as a success and an outage as a failure. Any other error is neither.
func (c *circuit) record(outage *Error, err error) {
	switch {
	case outage != nil:
		c.last.Store(outage)
		c.breaker.RecordFailure()
	case err == nil:
		c.breaker.RecordSuccess()
	}
}

// circuitOpen is the error of a request that is rejected while the circuit breaker is open.
func (s Service) circuitOpen(last *Error, remaining time.Duration) *Error {
	e := &Error{Kind: ErrUnavailable, Status: http.StatusServiceUnavailable, RetryAfter: max(remaining, time.Second)}
	e.Message = fmt.Sprintf("%s failed %d times in a row. Requests to it are paused for a few seconds.", s.Title, failureThreshold)
	if last != nil {
		e.Message += " The last failure: " + last.Message
	}
	return e
}
