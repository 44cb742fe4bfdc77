package gateway

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"golang.org/x/time/rate"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// detailShare is the part of the gateway's rate that details of jobs take. The rest is for lists, health checks, and other
	// clients with the same key.
	detailShare = 0.8
	// minRate is the lowest rate, and from maxRate on there is no limit.
	minRate, maxRate = rate.Limit(0.1), rate.Limit(50)
	// burst is the number of requests for details that are sent at once after a pause. Background fetches leave reserve of them.
	burst, reserve = 8, 3
	// maxDebt is the number of other requests for which details make up.
	maxDebt = 20
	// growth is the factor by which the rate rises after a minute without a 429. It is firstGrowth until the rate is too high.
	growth, firstGrowth = 1.05, 2
	// defaultPause is the pause after a 429 without Retry-After, and maxPause bounds the others.
	defaultPause = time.Second
	maxPause     = 10 * time.Minute
	// maxHold is the longest pause for which requests wait that are not for details. The limit may not affect them.
	maxHold = 5 * time.Second
)

// rateLimit keeps requests within the rate limit of the gateway. It is safe for concurrent use. Until the first 429 it delays
// nothing.
//
// A 429 pauses requests for its Retry-After, and sets the rate to that of the responses of the last minute, or to one for each
// Retry-After if that is more: a gateway that counts requests by minutes has served its limit by then, and one with a
// token bucket names the time until the next token. Then the rate rises until it is too high.
type rateLimit struct {
	lock sync.Mutex
	// limiter is nil without a limit.
	limiter     *rate.Limiter
	growth      rate.Limit
	changed     time.Time
	pausedUntil time.Time
	// served are the times of the responses of the last minute other than 429.
	served []time.Time
}

func (l *rateLimit) isLimited() bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.limiter != nil
}

// pause is the time left of the last Retry-After.
func (l *rateLimit) pause() time.Duration {
	l.lock.Lock()
	defer l.lock.Unlock()
	return max(0, time.Until(l.pausedUntil))
}

// wait waits until a request may be sent. One that is not for a detail waits for the end of a short pause only.
func (l *rateLimit) wait(ctx context.Context) error {
	f := fetchOf(ctx)
	if f == nil {
		if pause := l.pause(); pause <= maxHold {
			if err := sleep(ctx, pause); err != nil {
				return err
			}
		}
		l.lock.Lock()
		defer l.lock.Unlock()
		if l.limiter != nil && l.limiter.Tokens() > -maxDebt {
			l.limiter.Reserve()
		}
		return nil
	}
	if err := f.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	defer f.turn.Release(1)
	for delay := l.delay(f); delay > 0; delay = l.delay(f) {
		if err := sleep(ctx, delay); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// delay takes the right to send a request for a detail and is 0, or is the time after which to try again.
func (l *rateLimit) delay(f *fetch) time.Duration {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.limiter == nil {
		return 0
	}
	if pause := time.Until(l.pausedUntil); pause > 0 {
		return pause
	}
	needed := 1.0
	if f.background.Load() {
		needed += reserve
	}
	if missing := needed - l.limiter.Tokens(); missing > 0 {
		return max(time.Millisecond, time.Duration(missing/float64(l.limiter.Limit())*float64(time.Second)))
	}
	l.limiter.Allow()
	return 0
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// record learns from the result of a request.
func (l *rateLimit) record(err error) {
	var failed *transport.Error
	if errors.As(err, &failed) && (failed.Status == 0 || errors.Is(failed, transport.ErrUnavailable)) {
		return // it may not have reached the gateway
	}
	now := time.Now()
	l.lock.Lock()
	defer l.lock.Unlock()
	l.served = slices.DeleteFunc(l.served, func(at time.Time) bool { return now.Sub(at) > time.Minute })
	if failed != nil && errors.Is(failed, transport.ErrRateLimited) {
		l.reduce(now, failed)
		return
	}
	l.served = append(l.served, now)
	if l.limiter == nil || now.Sub(l.changed) <= time.Minute {
		return
	}
	l.changed = now
	if raised := l.growth * l.limiter.Limit(); raised < maxRate {
		l.limiter.SetLimit(raised)
	} else {
		l.limiter = nil
	}
}

// reduce sets the rate after a 429.
func (l *rateLimit) reduce(now time.Time, refused *transport.Error) {
	pause := min(max(refused.RetryAfter, 0), maxPause)
	if pause == 0 {
		pause = defaultPause
	}
	if until := now.Add(pause); until.After(l.pausedUntil) {
		l.pausedUntil = until
	}
	// A pause below a second is the rest of the time until the next token.
	served, named := rate.Limit(float64(len(l.served))/60), rate.Every(max(pause, time.Second))
	limit := max(minRate, detailShare*max(served, named))
	l.growth = growth
	if l.limiter == nil && pause <= maxHold {
		l.growth = firstGrowth
	}
	l.limiter = rate.NewLimiter(limit, burst)
	l.limiter.AllowN(now, burst)
	l.changed = now
	log.DefaultLogger.Info("The tuning gateway limits the rate of requests", "retryAfter", pause.String(), "detailsPerMinute", math.Round(float64(limit)*60))
}
