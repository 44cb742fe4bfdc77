package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

// limitConcurrency allows n concurrent requests to a service; n < 1 means no limit. A request holds its permit until its body
// is closed. Further requests wait until a permit is free or their own deadline is near.
func limitConcurrency(s Service, n int, timeout time.Duration) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("limit-concurrency", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		if n < 1 {
			return next
		}
		permits := NewBulkhead(n)
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			release, err := acquirePermit(req.Context(), permits, timeout)
			if err != nil {
				rejected.WithLabelValues(s.Name, "rejected").Inc()
				if errors.Is(req.Context().Err(), context.Canceled) {
					return nil, context.Canceled
				}
				return nil, s.concurrencyExceeded(n)
			}
			resp, err := next.RoundTrip(req)
			if err != nil {
				release()
				return nil, err
			}
			resp.Body = &permitBody{ReadCloser: resp.Body, release: sync.OnceFunc(release)}
			return resp, nil
		})
	})
}

func acquirePermit(ctx context.Context, permits *Bulkhead, timeout time.Duration) (release func(), err error) {
	if giveUp := giveUpAt(ctx, timeout); !giveUp.IsZero() {
		// Give up before the caller's deadline, so that the caller still receives this error.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(giveUp)*9/10)
		defer cancel()
	}
	return permits.Acquire(ctx)
}

// concurrencyExceeded is the error of a request that got no permit before its deadline.
func (s Service) concurrencyExceeded(n int) *Error {
	return &Error{Kind: ErrConcurrency, Message: advise(fmt.Sprintf("%s did not respond in time, because the limit of %d concurrent requests to it was reached.", s.Title, n),
		s.Advice.Concurrency)}
}

// permitBody releases its permit when the body is closed.
type permitBody struct {
	io.ReadCloser
	release func()
}

func (b *permitBody) Close() error {
	b.release()
	return b.ReadCloser.Close()
}
