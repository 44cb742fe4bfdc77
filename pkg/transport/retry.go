package transport

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

const (
	maxRetries   = 3
	firstBackoff = 200 * time.Millisecond
	lastBackoff  = 2 * time.Second
	// maxRetryAfter bounds the wait before a retry. Otherwise a request without a deadline, such as a download, could hang.
	maxRetryAfter = 30 * time.Second
	// maxRetryShare is how much of the requests in flight may be repeated, beside minParallelRetries: a service that recovers must not
	// get several times its load. The share is the default of failsafe-go's budget, which decides only after the wait.
	maxRetryShare      = 0.2
	minParallelRetries = 8
	// maxWait bounds parsed values of Retry-After, so that they don't overflow a duration.
	maxWait = 365 * 24 * time.Hour
)

type pacedKey struct{}

// Paced marks requests whose caller waits for the rate limit of the service itself: a 429 is not retried.
func Paced(ctx context.Context) context.Context { return context.WithValue(ctx, pacedKey{}, true) }

func isPaced(ctx context.Context) bool { return ctx.Value(pacedKey{}) != nil }

// idempotencyKey is a header that net/http does not send if it has no values, and that makes any request one that may be repeated.
const idempotencyKey = "Idempotency-Key"

// MarkIdempotent marks a request that only reads, although its method is POST.
func MarkIdempotent(req *http.Request) { req.Header[idempotencyKey] = []string{} }

// retries retries requests that only read, after a 429 and after transient outages ([Service.outage]): those with GET, and those
// of [MarkIdempotent]. Others are not safe to repeat, and other responses would not change. It waits for Retry-After or a backoff.
// The last response is final if that is longer than maxRetryAfter, or than the time left until the request's deadline or the
// client's timeout, or if too many of the requests in flight are retries. Health checks aren't retried, because a user waits for
// them.
func retries(s Service, timeout time.Duration) httpclient.Middleware {
	shared := &retryBudget{}
	return httpclient.NamedMiddlewareFunc("retry", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			_, idempotent := req.Header[idempotencyKey]
			if req.Method != http.MethodGet && !idempotent || isProbe(req.Context()) {
				return next.RoundTrip(req)
			}
			last := &attempt{}
			shared.requests.Add(1)
			defer shared.release(last)
			observed := httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
				start := time.Now()
				resp, err := next.RoundTrip(req)
				last.took = time.Since(start)
				last.retryable = s.retryable(req.Context(), resp, err)
				return resp, err
			})
			policy := retryPolicy(giveUpAt(req.Context(), timeout), last, shared)
			return failsafehttp.NewRoundTripper(observed, policy).RoundTrip(req)
		})
	})
}

// attempt describes the last attempt for the retry policy.
type attempt struct {
	// retryable is its failure if another one may succeed, or nil.
	retryable *Error
	took      time.Duration
	// repeated reports that the request is one of those that are repeated.
	repeated bool
}

// retryBudget counts the requests in flight, and those of them that are repeated or wait to be: the wait is decided on before it
// begins, so that what is refused fails at once.
type retryBudget struct{ requests, repeated atomic.Int32 }

// allows reports whether a request may be repeated.
func (b *retryBudget) allows(last *attempt) bool {
	if last.repeated {
		return true
	}
	if n := b.repeated.Add(1); n > minParallelRetries && float64(n) > maxRetryShare*float64(b.requests.Load()) {
		b.repeated.Add(-1)
		return false
	}
	last.repeated = true
	return true
}

// release is called at the end of a request.
func (b *retryBudget) release(last *attempt) {
	b.requests.Add(-1)
	if last.repeated {
		b.repeated.Add(-1)
	}
}

// retryPolicy depends on the deadline of one request. It doesn't retry if the wait and an attempt as long as the last one
// would exceed the deadline, because the platform's error is more useful than a timeout.
func retryPolicy(giveUp time.Time, last *attempt, shared *retryBudget) retrypolicy.RetryPolicy[*http.Response] {
	backoff := firstBackoff
	var wait time.Duration
	return retrypolicy.NewBuilder[*http.Response]().
		HandleIf(func(*http.Response, error) bool { return last.retryable != nil }).
		AbortIf(func(resp *http.Response, _ error) bool {
			wait = retryAfter(resp, time.Now())
			if wait == 0 {
				wait = backoff
				backoff = min(2*backoff, lastBackoff)
			}
			wait = jittered(wait)
			return wait > maxRetryAfter || !giveUp.IsZero() && time.Until(giveUp) <= wait+last.took || !shared.allows(last)
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

// jittered makes a wait longer by up to a third, so that concurrent failures are not retried at the same time.
func jittered(d time.Duration) time.Duration {
	return d + rand.N(d/3+1) //nolint:gosec // a backoff needs no secure random numbers
}

// retryable is the failure of an attempt if another one may succeed, or nil.
func (s Service) retryable(ctx context.Context, resp *http.Response, err error) *Error {
	if err == nil && resp.StatusCode == http.StatusTooManyRequests {
		if isPaced(ctx) {
			return nil
		}
		return s.fromStatus(resp.StatusCode, "", retryAfter(resp, time.Now()))
	}
	if err != nil && !causeOf(err).transient() {
		return nil
	}
	return s.outage(ctx, resp, err)
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
