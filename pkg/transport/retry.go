package transport

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
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
	// longestWait is what is waited for at most, however long a platform asks to wait: a request without a deadline, a
	// download, would hang.
	longestWait = 30 * time.Second
	// farthest bounds what a platform can ask to wait, so that no number of seconds is too large for a duration.
	farthest = 365 * 24 * time.Hour
)

// retryReads retries a GET on 429, 502, 503, 504 and connection errors, and nothing else: no other method is safe to
// repeat, and no other answer would change. It waits as long as Retry-After asks, unless that is longer than [longestWait]
// or than the request has left, of its own deadline or the client's timeout; then the answer it has is final.
func retryReads(timeout time.Duration) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("retry-reads", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			if req.Method != http.MethodGet {
				return next.RoundTrip(req)
			}
			var began time.Time
			timed := httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
				began = time.Now()
				return next.RoundTrip(req)
			})
			lastTook := func() time.Duration { return time.Since(began) }
			return failsafehttp.NewRoundTripper(timed, retryPolicy(giveUpAt(req.Context(), timeout), lastTook)).RoundTrip(req)
		})
	})
}

// retryPolicy is made for each request, because when to give up depends on the request's own deadline. Nothing is waited
// for that would outlast it, going by how long the last attempt took: what the platform said says more than "timed out".
func retryPolicy(giveUp time.Time, lastTook func() time.Duration) retrypolicy.RetryPolicy[*http.Response] {
	backoff := firstBackoff
	var wait time.Duration
	return retrypolicy.NewBuilder[*http.Response]().
		HandleIf(worthRetrying).
		AbortIf(func(resp *http.Response, _ error) bool {
			wait = retryAfter(resp, time.Now())
			if wait == 0 {
				wait = jittered(backoff)
				backoff = min(2*backoff, lastBackoff)
			}
			return wait > longestWait || !giveUp.IsZero() && time.Until(giveUp) <= wait+lastTook()
		}).
		WithMaxRetries(maxRetries).
		WithDelayFunc(func(failsafe.ExecutionAttempt[*http.Response]) time.Duration { return wait }).
		OnRetryScheduled(func(event failsafe.ExecutionScheduledEvent[*http.Response]) {
			if resp := event.LastResult(); resp != nil {
				discard(resp)
			}
		}).
		ReturnLastFailure().
		Build()
}

// giveUpAt is when a request that starts now has no time left; zero if it has all the time. A client's timeout isn't
// part of the request's context where a client has round-trippers of its own.
func giveUpAt(ctx context.Context, timeout time.Duration) time.Time {
	giveUp, _ := ctx.Deadline()
	if timeout > 0 {
		if end := time.Now().Add(timeout); giveUp.IsZero() || end.Before(giveUp) {
			giveUp = end
		}
	}
	return giveUp
}

// jittered spreads retries over a fifth more or less, so that callers who failed together do not come back together.
func jittered(d time.Duration) time.Duration {
	return d*4/5 + rand.N(d*2/5) //nolint:gosec // nothing secret depends on it
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

// retryAfter reads how long an answer asks to wait: retry-after-ms, or Retry-After in seconds or as a date.
//
// Format: RFC 9110, 10.2.3; retry-after-ms is a habit of OpenAI-style gateways.
func retryAfter(resp *http.Response, now time.Time) time.Duration {
	if resp == nil {
		return 0
	}
	if ms, err := strconv.ParseFloat(resp.Header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return asked(ms * float64(time.Millisecond))
	}
	value := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return asked(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil && date.After(now) {
		return date.Sub(now)
	}
	return 0
}

// asked is so many nanoseconds, or as long as anyone can ask to wait.
func asked(nanoseconds float64) time.Duration {
	return time.Duration(min(nanoseconds, float64(farthest)))
}

// discard empties the body of an answer nobody will read, so that its connection can be used again.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
	_ = resp.Body.Close()
}
