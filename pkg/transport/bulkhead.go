package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

type alertingKey struct{}

// Alerting marks the queries and requests of alert rules, for which a [Bulkhead] keeps permits.
func Alerting(ctx context.Context) context.Context {
	return context.WithValue(ctx, alertingKey{}, true)
}

// Lane is the key of the permits that a context may use: requests are coalesced with those of the same lane only, so that an alert
// rule does not wait behind dashboards.
func Lane(ctx context.Context) string {
	if ctx.Value(alertingKey{}) != nil {
		return "alerting\x00"
	}
	return ""
}

// Bulkhead bounds what runs at the same time for one service, so that a slow service takes nothing from the others. A quarter of
// its permits are for alert rules only, which may use the others, too. With fewer than four permits there is no such share.
type Bulkhead struct{ all, dashboards bulkhead.Bulkhead[any] }

// NewBulkhead makes a bulkhead with n permits; n is at least 1.
func NewBulkhead(n int) *Bulkhead {
	return &Bulkhead{all: bulkhead.New[any](uint(n)), dashboards: bulkhead.New[any](uint(n - n/4))}
}

// Acquire waits for a permit until the context ends, whose error it then returns. Call release once afterwards.
func (b *Bulkhead) Acquire(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if Lane(ctx) != "" {
		return b.all.ReleasePermit, b.all.AcquirePermit(ctx)
	}
	if err := b.dashboards.AcquirePermit(ctx); err != nil {
		return nil, err
	}
	if err := b.all.AcquirePermit(ctx); err != nil {
		b.dashboards.ReleasePermit()
		return nil, err
	}
	return func() {
		b.all.ReleasePermit()
		b.dashboards.ReleasePermit()
	}, nil
}

// limitConcurrency allows n concurrent requests to a service; n < 1 means no limit. A request holds its permit until its body
// is closed. Further requests wait until a permit is free or their own deadline is near.
func limitConcurrency(s Service, n int) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("limit-concurrency", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		if n < 1 {
			return next
		}
		permits := NewBulkhead(n)
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			release, err := acquirePermit(req.Context(), permits)
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
			resp.Body = &closedBody{resp.Body, sync.OnceFunc(release)}
			return resp, nil
		})
	})
}

func acquirePermit(ctx context.Context, permits *Bulkhead) (release func(), err error) {
	if deadline, ok := ctx.Deadline(); ok {
		// Give up before the caller's deadline, so that the caller still receives this error.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)*9/10)
		defer cancel()
	}
	return permits.Acquire(ctx)
}

// concurrencyExceeded is the error of a request that got no permit before its deadline.
func (s Service) concurrencyExceeded(n int) *Error {
	return &Error{Kind: ErrConcurrency, Message: advise(fmt.Sprintf("%s did not respond in time, because the limit of %d concurrent requests to it was reached.", s.Title, n),
		s.Advice.Concurrency)}
}
