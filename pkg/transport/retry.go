package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

const (
	maxRetries   = 3
	firstBackoff = 250 * time.Millisecond
	lastBackoff  = 2 * time.Second
)

// retryReads retries a GET on 429, 502, 503, 504 and connection errors, and nothing else: no other method is safe to
// repeat, and no other answer would change. It waits as long as Retry-After asks, unless that is longer than the request
// has left; then the answer it has is final.
func retryReads() httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("retry-reads", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			if req.Method != http.MethodGet {
				return next.RoundTrip(req)
			}
			last := &attempt{}
			resp, err := failsafehttp.NewRoundTripper(next, retryPolicy(req.Context(), last)).RoundTrip(req)
			if errors.Is(err, context.DeadlineExceeded) && last.failed() {
				// Time ran out while waiting for the next attempt: what failed before says more than "timed out".
				return last.resp, last.err
			}
			return resp, err
		})
	})
}

// attempt is the outcome of the attempt before a wait. The body of its answer is used up.
type attempt struct {
	resp *http.Response
	err  error
}

func (a *attempt) failed() bool { return a.resp != nil || a.err != nil }

// retryPolicy is made for each request, because when to give up depends on the request's own deadline.
func retryPolicy(ctx context.Context, last *attempt) retrypolicy.RetryPolicy[*http.Response] {
	return retrypolicy.NewBuilder[*http.Response]().
		HandleIf(worthRetrying).
		AbortIf(func(resp *http.Response, _ error) bool { return outOfTime(ctx, retryAfter(resp, time.Now())) }).
		WithMaxRetries(maxRetries).
		WithBackoff(firstBackoff, lastBackoff).
		WithJitterFactor(0.2).
		WithDelayFunc(func(exec failsafe.ExecutionAttempt[*http.Response]) time.Duration {
			if wait := retryAfter(exec.LastResult(), time.Now()); wait > 0 {
				return wait
			}
			return -1 // the backoff
		}).
		OnRetryScheduled(func(event failsafe.ExecutionScheduledEvent[*http.Response]) {
			*last = attempt{event.LastResult(), event.LastError()}
			if last.resp != nil {
				discard(last.resp)
				last.resp.Body = http.NoBody
			}
		}).
		ReturnLastFailure().
		Build()
}

func worthRetrying(resp *http.Response, err error) bool {
	if err != nil {
		return connectionError(err)
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// connectionError tells errors of the network from those that will be the same next time: certificates, timeouts.
func connectionError(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	switch unreachable(err) {
	case "the connection was refused", "the connection was closed before an answer came":
		return true
	}
	return false
}

// outOfTime reports whether waiting so long would outlast the request's deadline.
func outOfTime(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) <= max(wait, firstBackoff)
}

// retryAfter reads how long an answer asks to wait: retry-after-ms, or Retry-After in seconds or as a date.
//
// Format: RFC 9110, 10.2.3; retry-after-ms is a habit of OpenAI-style gateways.
func retryAfter(resp *http.Response, now time.Time) time.Duration {
	if resp == nil {
		return 0
	}
	if ms, err := strconv.ParseFloat(resp.Header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil && date.After(now) {
		return date.Sub(now)
	}
	return 0
}

// discard empties the body of an answer nobody will read, so that its connection can be used again.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
	_ = resp.Body.Close()
}
