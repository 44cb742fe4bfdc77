package transport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

const (
	maxRetries   = 3
	firstBackoff = 200 * time.Millisecond
	lastBackoff  = 2 * time.Second
	// maxRetryAfter bounds the wait before a retry. Otherwise a request without a deadline, such as a download, could hang.
	maxRetryAfter = 30 * time.Second
	// maxRetryShare is how much of the requests in flight may be repeated, beside minParallelRetries: a service that recovers must not
	// get several times its load. The share is the default of failsafe-go's budget.
	maxRetryShare      = 0.2
	minParallelRetries = 8
)

type pacedKey struct{}

// Paced marks requests whose caller bounds them itself, and waits for the rate limit of the service: they count for no budget, and a 429
// is not retried.
func Paced(ctx context.Context) context.Context {
	return context.WithValue(context.WithValue(ctx, budgetKey{}, (*allowance)(nil)), pacedKey{}, true)
}

// retries retries requests after a 429 and after transient outages: other responses would not change, and all requests only read. Health
// checks aren't retried, because a user waits for them.
func retries() httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("retry", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper { return &retrier{next: next} })
}

// retrier counts the requests in flight, and those of them that are repeated or wait to be: the wait is decided on before it begins, so
// that what is refused fails at once.
type retrier struct {
	next               http.RoundTripper
	requests, repeated atomic.Int32
}

// RoundTrip waits for Retry-After or a backoff before each retry. The last error is final if that is longer than maxRetryAfter, if the
// wait and an attempt as long as the last one would exceed the deadline, because the platform's error is more useful than a timeout, or
// if too many of the requests in flight are retries.
func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, repeated, backoff := req.Context(), false, firstBackoff
	deadline, hasDeadline := ctx.Deadline()
	r.requests.Add(1)
	defer func() {
		if r.requests.Add(-1); repeated {
			r.repeated.Add(-1)
		}
	}()
	for retries := 0; ; retries++ {
		start := time.Now()
		resp, err := r.next.RoundTrip(req)
		var failed *Error
		switch {
		case retries == maxRetries, !errors.As(err, &failed), !failed.transient, isProbe(ctx), ctx.Value(pacedKey{}) != nil && errors.Is(err, ErrRateLimited):
			return resp, err
		}
		wait := failed.RetryAfter
		if wait == 0 {
			wait = backoff
			backoff = min(2*backoff, lastBackoff)
		}
		// Up to a third longer, so that concurrent failures are not retried at the same time.
		wait += rand.N(wait/3 + 1) //nolint:gosec // a backoff needs no secure random numbers
		if wait > maxRetryAfter || hasDeadline && time.Until(deadline) <= wait+time.Since(start) {
			return nil, err
		}
		if repeated = repeated || r.repeats(); !repeated {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
		if req.GetBody != nil {
			req = req.WithContext(ctx)
			req.Body, _ = req.GetBody() // of a text, which has no errors
		}
	}
}

// repeats counts one more request that is repeated, and reports whether it may be.
func (r *retrier) repeats() bool {
	if n := r.repeated.Add(1); n > minParallelRetries && float64(n) > maxRetryShare*float64(r.requests.Load()) {
		r.repeated.Add(-1)
		return false
	}
	return true
}

// retryAfter is the wait that a response requests: retry-after-ms, or Retry-After in seconds or as a date.
//
// Format: RFC 9110, 10.2.3; retry-after-ms is of OpenAI-compatible gateways.
func retryAfter(header http.Header, now time.Time) time.Duration {
	for _, in := range []struct {
		header string
		unit   time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		if wait, err := strconv.ParseFloat(header.Get(in.header), 64); err == nil && wait > 0 {
			return time.Duration(min(wait*float64(in.unit), float64(365*24*time.Hour))) // which is no overflow
		}
	}
	if date, err := http.ParseTime(header.Get("Retry-After")); err == nil && date.After(now) {
		return date.Sub(now)
	}
	return 0
}
