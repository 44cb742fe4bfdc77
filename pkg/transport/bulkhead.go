package transport

import (
	"context"

	"github.com/failsafe-go/failsafe-go/bulkhead"
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
