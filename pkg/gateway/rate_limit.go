package gateway

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"golang.org/x/time/rate"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// detailShare is the part of the gateway's rate that details of jobs take. The rest is for lists, health checks, and other
	// clients with the same key.
	detailShare = 0.8
	// burst is the number of requests for details that are sent at once after a pause. Background fetches leave reserve of them:
	// as many as lists and health checks take at once, so that a query about one job finds one left.
	burst, reserve = 8, 5
	// maxDebt is the number of other requests for which details make up.
	maxDebt = 20
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
// token bucket names the time until the next token. It is forgotten after [transport.LearnedTTL] without another 429.
type rateLimit struct {
	lock sync.Mutex
	// limiter is nil without a limit.
	limiter     *rate.Limiter
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

// wait waits until a request may be sent. One that is not for a detail waits for the end of a short pause only, and details make
// up for it.
func (l *rateLimit) wait(ctx context.Context) error {
	needed := 0.0
	for {
		if isBackground := detailOf(ctx); isBackground != nil {
			needed = 1
			if isBackground.Load() {
				needed += reserve
			}
		}
		delay := l.delay(needed)
		if err := sleep(ctx, delay); err != nil || delay == 0 {
			return err
		}
	}
}

// delay takes a token if there are as many as needed, and is 0, or the time after which to try again. What needs none takes one in
// advance.
func (l *rateLimit) delay(needed float64) time.Duration {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.limiter == nil {
		return 0
	}
	if pause := time.Until(l.pausedUntil); pause > 0 && (needed > 0 || pause <= maxHold) {
		return pause
	}
	tokens := l.limiter.Tokens()
	if missing := needed - tokens; needed > 0 && missing > 0 {
		return max(time.Millisecond, time.Duration(missing/float64(l.limiter.Limit())*float64(time.Second)))
	}
	if tokens > -maxDebt {
		l.limiter.Reserve()
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return ctx.Err()
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
	switch {
	case failed != nil && errors.Is(failed, transport.ErrRateLimited):
		l.reduce(now, failed.RetryAfter)
		return
	case now.Sub(l.pausedUntil) > transport.LearnedTTL:
		l.limiter = nil
	}
	l.served = append(l.served, now)
}

// reduce sets the rate after a 429.
func (l *rateLimit) reduce(now time.Time, retryAfter time.Duration) {
	if retryAfter <= 0 {
		retryAfter = defaultPause
	}
	pause := min(retryAfter, maxPause)
	if until := now.Add(pause); until.After(l.pausedUntil) {
		l.pausedUntil = until
	}
	// A pause below a second is the rest of the time until the next token.
	limit := detailShare * max(rate.Limit(len(l.served))/60, rate.Every(max(pause, time.Second)))
	l.limiter = rate.NewLimiter(limit, burst)
	l.limiter.AllowN(now, burst)
	log.DefaultLogger.Info("The tuning gateway limits the rate of requests", "retryAfter", pause.String(), "detailsPerMinute", math.Round(float64(limit)*60))
}

type detailKey struct{}

// detailOf is whether a request for a detail is in the background, after the wait of its query. It is nil for other requests.
func detailOf(ctx context.Context) *atomic.Bool {
	isBackground, _ := ctx.Value(detailKey{}).(*atomic.Bool)
	return isBackground
}
