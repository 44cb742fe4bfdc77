package transport

import (
	"context"
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

// retryReads retries a GET on 429, on what shows that the service is down ([Service.outage]) and may pass, and on nothing
// else: no other method is safe to repeat, and no other response would change. It waits as long as Retry-After asks, unless
// that is longer than [longestWait] or than the request has left, of its own deadline or the client's timeout; then the
// response it has is final. A health check isn't retried: someone waits for what it finds.
func retryReads(s Service, timeout time.Duration) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("retry-reads", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			if req.Method != http.MethodGet || isProbe(req.Context()) {
				return next.RoundTrip(req)
			}
			last := &attempt{}
			observed := httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
				began := time.Now()
				resp, err := next.RoundTrip(req)
				last.took = time.Since(began)
				last.retryable = s.retryable(req.Context(), resp, err)
				return resp, err
			})
			return failsafehttp.NewRoundTripper(observed, retryPolicy(giveUpAt(req.Context(), timeout), last)).RoundTrip(req)
		})
	})
}

// attempt is what the retry policy knows of the last attempt.
type attempt struct {
	retryable bool
	took      time.Duration
}

// retryPolicy is made for each request, because when to give up depends on the request's own deadline. Nothing is waited
// for that would outlast it, going by how long the last attempt took: what the platform said says more than "timed out".
func retryPolicy(giveUp time.Time, last *attempt) retrypolicy.RetryPolicy[*http.Response] {
	backoff := firstBackoff
	var wait time.Duration
	return retrypolicy.NewBuilder[*http.Response]().
		HandleIf(func(*http.Response, error) bool { return last.retryable }).
		AbortIf(func(resp *http.Response, _ error) bool {
			wait = retryAfter(resp, time.Now())
			if wait == 0 {
				wait = jittered(backoff)
				backoff = min(2*backoff, lastBackoff)
			}
			return wait > longestWait || !giveUp.IsZero() && time.Until(giveUp) <= wait+last.took
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

// retryable reports whether another attempt may succeed.
func (s Service) retryable(ctx context.Context, resp *http.Response, err error) bool {
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		return true
	}
	return s.outage(ctx, resp, err) != nil && (err == nil || causeOf(err).transient())
}

// retryAfter reads how long an answer asks to wait: retry-after-ms, or Retry-After in seconds or as a date.
//
// Format: RFC 9110, 10.2.3; retry-after-ms is a habit of OpenAI-style gateways.
func retryAfter(resp *http.Response, now time.Time) time.Duration {
	if resp == nil {
		return 0
	}
	if ms, err := strconv.ParseFloat(resp.Header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return boundedWait(ms * float64(time.Millisecond))
	}
	value := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return boundedWait(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil && date.After(now) {
		return date.Sub(now)
	}
	return 0
}

// boundedWait is so many nanoseconds, or as long as anyone can ask to wait.
func boundedWait(nanoseconds float64) time.Duration {
	return time.Duration(min(nanoseconds, float64(farthest)))
}

// discard empties the body of an answer nobody will read, so that its connection can be used again.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
	_ = resp.Body.Close()
}
