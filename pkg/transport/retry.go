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
	// maxRetryAfter bounds the wait before a retry. Otherwise a request without a deadline, such as a download, could hang.
	maxRetryAfter = 30 * time.Second
	// maxWait bounds parsed values of Retry-After, so that they don't overflow a duration.
	maxWait = 365 * 24 * time.Hour
)

type pacedKey struct{}

// Paced marks requests whose caller waits for the rate limit of the service itself: a 429 is not retried.
func Paced(ctx context.Context) context.Context { return context.WithValue(ctx, pacedKey{}, true) }

func isPaced(ctx context.Context) bool { return ctx.Value(pacedKey{}) != nil }

// retryReads retries GET requests after a 429 and after transient outages ([Service.outage]). Other methods are not safe to
// repeat, and other responses would not change. It waits for Retry-After or a backoff. The last response is final if that is
// longer than maxRetryAfter, or than the time left until the request's deadline or the client's timeout. Health checks
// aren't retried, because a user waits for them, nor are requests whose context is of [Once].
func retryReads(s Service, timeout time.Duration) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("retry-reads", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			if req.Method != http.MethodGet || isProbe(req.Context()) || req.Context().Value(onceKey{}) != nil {
				return next.RoundTrip(req)
			}
			last := &attempt{}
			observed := httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
				start := time.Now()
				resp, err := next.RoundTrip(req)
				last.took = time.Since(start)
				last.retryable = s.retryable(req.Context(), resp, err)
				return resp, err
			})
			return failsafehttp.NewRoundTripper(observed, retryPolicy(giveUpAt(req.Context(), timeout), last)).RoundTrip(req)
		})
	})
}

type onceKey struct{}

// Once returns a context whose requests are not retried.
func Once(ctx context.Context) context.Context { return context.WithValue(ctx, onceKey{}, true) }

// attempt describes the last attempt for the retry policy.
type attempt struct {
	retryable bool
	took      time.Duration
}

// retryPolicy depends on the deadline of one request. It doesn't retry if the wait and an attempt as long as the last one
// would exceed the deadline, because the platform's error is more useful than a timeout.
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
			return wait > maxRetryAfter || !giveUp.IsZero() && time.Until(giveUp) <= wait+last.took
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

// giveUpAt is the deadline of a request that starts now, or zero for none. It includes the client's timeout, because
// http.Client does not add it to the context that round-trippers see.
func giveUpAt(ctx context.Context, timeout time.Duration) time.Time {
	giveUp, _ := ctx.Deadline()
	if timeout > 0 {
		if end := time.Now().Add(timeout); giveUp.IsZero() || end.Before(giveUp) {
			giveUp = end
		}
	}
	return giveUp
}

// jittered varies a backoff by 20 %, so that concurrent failures are not retried at the same time.
func jittered(d time.Duration) time.Duration {
	return d*4/5 + rand.N(d*2/5) //nolint:gosec // a backoff needs no secure random numbers
}

// retryable reports whether another attempt may succeed.
func (s Service) retryable(ctx context.Context, resp *http.Response, err error) bool {
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		return !isPaced(ctx)
	}
	return s.outage(ctx, resp, err) != nil && (err == nil || causeOf(err).transient())
}

// retryAfter is the wait that a response requests: retry-after-ms, or Retry-After in seconds or as a date.
//
// Format: RFC 9110, 10.2.3; retry-after-ms is of OpenAI-compatible gateways.
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

func boundedWait(nanoseconds float64) time.Duration {
	return time.Duration(min(nanoseconds, float64(maxWait)))
}

// discard drains and closes a body, so that its connection can be reused.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
	_ = resp.Body.Close()
}
