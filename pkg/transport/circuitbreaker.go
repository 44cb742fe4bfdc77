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
	// failureThreshold is how many attempts in a row have to fail to open the circuit breaker.
	failureThreshold = 10
	// openFor is how long it is open before it is half-open.
	openFor = 5 * time.Second
	// halfOpenTrials is how many requests may be sent then. One is not enough: it may be a query that takes long by itself.
	halfOpenTrials = 4
)

type probing struct{}

// Probe marks requests that go out even while the circuit breaker of their service is open, and aren't retried: someone
// pressed a button to see what the service says.
func Probe(ctx context.Context) context.Context { return context.WithValue(ctx, probing{}, true) }

func isProbe(ctx context.Context) bool { return ctx.Value(probing{}) != nil }

// circuitBreaker refuses requests to a service that has failed many times in a row. While it is half-open a few requests are
// sent, and one that succeeds closes it. What counts as a failure is what [Service.outage] says.
func circuitBreaker(s Service) httpclient.Middleware {
	c := newCircuit(s)
	return httpclient.NamedMiddlewareFunc("circuit-breaker", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			release, allowed := c.acquire()
			defer release()
			if !allowed && !isProbe(req.Context()) {
				rejected.WithLabelValues(s.Name, "resting").Inc()
				return nil, s.circuitOpen(c.last.Load(), c.breaker.RemainingDelay())
			}
			resp, err := next.RoundTrip(req)
			c.record(s.outage(req.Context(), resp, err), err)
			return resp, err
		})
	})
}

// circuit is a circuit breaker whose trials, while it is half-open, may end without a result: the library's own permits only
// come back with one.
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
			if event.NewState == circuitbreaker.OpenState {
				circuitOpenings.WithLabelValues(s.Name).Inc()
			}
			log.DefaultLogger.Info("A circuit breaker changed its state", "service", s.Name, "circuit", event.NewState.String())
		}).
		Build()
	return &circuit{breaker: breaker, trials: semaphore.NewWeighted(halfOpenTrials)}
}

// acquire reports whether a request may be sent. The caller calls release when it has ended, in any case.
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

// circuitOpen says that requests to a service are refused, why, and for how long.
func (s Service) circuitOpen(last *Error, remaining time.Duration) *Error {
	e := &Error{Kind: ErrUnavailable, Status: http.StatusServiceUnavailable, RetryAfter: max(remaining, time.Second)}
	e.Message = fmt.Sprintf("%s failed %d times in a row, so it is left alone for a few seconds and then asked again.", s.Title, failureThreshold)
	if last != nil {
		e.Message += " The last failure: " + last.Message
	}
	return e
}
