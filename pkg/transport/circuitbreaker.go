package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
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

// circuit is the circuit breaker of a service: it rejects requests after failureThreshold consecutive failures. While it is half-open it
// admits a few trial requests, and closes with the first that shows no outage; see [Error].
type circuit struct {
	circuitbreaker.CircuitBreaker[any]
	service Service
}

func newCircuit(s Service) *circuit {
	return &circuit{service: s, CircuitBreaker: circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(failureThreshold).
		WithDelay(openFor).
		WithSuccessThresholdRatio(1, halfOpenTrials).
		OnStateChanged(func(event circuitbreaker.StateChangedEvent) {
			log.DefaultLogger.Info("A circuit breaker changed its state", "service", s.Name, "circuit", event.NewState.String())
		}).
		Build()}
}

// admit returns an error for a request that is not to be sent. Call record with the error of any other.
func (c *circuit) admit(ctx context.Context) error {
	if c.TryAcquirePermit() || isProbe(ctx) {
		return nil
	}
	rejected.WithLabelValues(c.service.Name, strings.ReplaceAll(c.State().String(), "-", "_")).Inc()
	return &Error{Kind: ErrUnavailable, Status: http.StatusServiceUnavailable, RetryAfter: max(c.RemainingDelay(), time.Second), Message: fmt.Sprintf(
		"%s failed %d times in a row. Requests to it are paused for a few seconds.", c.service.Title, failureThreshold)}
}

// record counts the outcome of a request. One without a response shows nothing. A trial that ends so closes the circuit breaker, because
// the library takes its permit back only with a result.
func (c *circuit) record(err error) {
	var failed *Error
	switch isError := errors.As(err, &failed); {
	case isError && failed.outage:
		c.RecordFailure()
	case err == nil, isError && failed.Status != 0, c.IsHalfOpen():
		c.RecordSuccess()
	}
}
