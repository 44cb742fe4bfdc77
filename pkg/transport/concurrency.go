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
	"golang.org/x/sync/semaphore"
)

// limitConcurrency allows n concurrent requests to a service; n < 1 means no limit. A request holds its slot until its body
// is closed or its context ends. Further requests wait until a slot is free or their own deadline is near.
func limitConcurrency(s Service, n int, timeout time.Duration) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("limit-concurrency", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		if n < 1 {
			return next
		}
		slots := semaphore.NewWeighted(int64(n))
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			if err := acquireSlot(req.Context(), slots, timeout); err != nil {
				rejected.WithLabelValues(s.Name, "busy").Inc()
				if errors.Is(req.Context().Err(), context.Canceled) {
					return nil, context.Canceled
				}
				return nil, s.concurrencyExceeded(n)
			}
			release := sync.OnceFunc(func() { slots.Release(1) })
			// If the response arrives while the request's context ends, the retry policy drops it without closing its body.
			stop := context.AfterFunc(req.Context(), release)
			resp, err := next.RoundTrip(req)
			if err != nil {
				stop()
				release()
				return nil, err
			}
			resp.Body = &slotBody{ReadCloser: resp.Body, release: func() { stop(); release() }}
			return resp, nil
		})
	})
}

func acquireSlot(ctx context.Context, slots *semaphore.Weighted, timeout time.Duration) error {
	if giveUp := giveUpAt(ctx, timeout); !giveUp.IsZero() {
		// Give up before the caller's deadline, so that the caller still receives this error.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(giveUp)*9/10)
		defer cancel()
	}
	return slots.Acquire(ctx, 1)
}

// concurrencyExceeded is the error of a request that got no slot before its deadline.
func (s Service) concurrencyExceeded(n int) *Error {
	return &Error{Kind: ErrTimeout, Message: fmt.Sprintf("%s did not respond in time, because the limit of %d concurrent requests to it was reached. "+
		"Refresh less often, or raise Concurrent requests in the data source's settings, section Advanced.", s.Title, n)}
}

// slotBody releases its slot when the body is closed.
type slotBody struct {
	io.ReadCloser
	release func()
}

func (b *slotBody) Close() error {
	b.release()
	return b.ReadCloser.Close()
}
