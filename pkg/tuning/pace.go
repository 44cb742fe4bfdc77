package tuning

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"golang.org/x/time/rate"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// detailShare is the part of the learned rate that details of jobs take. The rest is for lists, health checks, and other
	// clients with the same key.
	detailShare = 0.8
	// minRate is the lowest rate to which repeated 429s lead.
	minRate = rate.Limit(0.1)
	// forgetRate is the rate above which there is no limit any more.
	forgetRate = rate.Limit(50)
	// listShare is the part of detailShare that the list of jobs takes, unless that would make it older than maxListTTL.
	listShare  = 0.25
	maxListTTL = 2 * time.Minute
	// reserve is the number of requests that background fetches leave to others.
	reserve = 3
	// burstSeconds is the time whose requests may be sent at once after a pause, beside the reserve. Together with a minute at
	// detailShare these are below the limit of a gateway that counts by minutes.
	burstSeconds = 5
	// maxDebt is the number of requests that are not for details for which details make up.
	maxDebt = 20
	// growth is the factor by which the rate rises after each growthInterval without a 429. It is firstGrowth until the rate is
	// first too high, unless the wait after that would be longer than maxHold.
	growth         = 1.05
	firstGrowth    = 2
	growthInterval = time.Minute
	// settleInterval is the time after a change of the rate in which 429s don't lower it further: those to requests that were
	// sent before, and those of a token bucket that is still empty.
	settleInterval = 10 * time.Second
	// defaultRetryAfter is the pause after a 429 that names none, and maxRetryAfter bounds the others.
	defaultRetryAfter = time.Second
	maxRetryAfter     = 10 * time.Minute
	// maxHold is the longest Retry-After for which requests wait that are not for details. The limit may not affect them.
	maxHold = 5 * time.Second
)

// pacer keeps requests for details of jobs within the rate limit of the gateway, which it learns from responses with 429. It
// is safe for concurrent use. Until the first 429 it delays nothing.
//
// The first 429 sets the rate to the number of responses of the minute before it, or to one for each Retry-After if that is
// more: a gateway that counts requests by minutes has served its limit by then, and one with a token bucket names the time
// until the next token. Then the rate rises until it is too high.
type pacer struct {
	lock sync.Mutex
	// limiter is nil without a limit: until the first 429, and after the rate has risen to forgetRate.
	limiter *rate.Limiter
	// growth is the factor of the next growth.
	growth rate.Limit
	// changed is the time of the last change of the rate, and pausedUntil the end of the last Retry-After.
	changed, pausedUntil time.Time
	// cause is the last 429.
	cause *transport.Error
	// served counts responses other than 429 by second, over a minute.
	served [60]struct{ second, count int64 }
	// changes is closed by recheck.
	changes chan struct{}
	// hit is closed while there is a limit.
	hit chan struct{}
}

func newPacer() *pacer { return &pacer{changes: make(chan struct{}), hit: make(chan struct{})} }

// isLimited reports whether the gateway limits the rate of requests.
func (p *pacer) isLimited() bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.limiter != nil
}

// limited returns a channel that is closed if the gateway limits the rate of requests, or as soon as it does.
func (p *pacer) limited() <-chan struct{} {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.hit
}

// isPausedAt reports whether the gateway has asked not to be sent requests until after a time.
func (p *pacer) isPausedAt(at time.Time) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.limiter != nil && p.pausedUntil.After(at)
}

// lastError is the last 429, or nil.
func (p *pacer) lastError() error {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.cause == nil {
		return nil
	}
	return p.cause
}

// estimate is the time that so many requests for details take, if the gateway limits their rate.
func (p *pacer) estimate(requests int) (left time.Duration, limited bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.limiter == nil {
		return 0, false
	}
	return max(0, time.Until(p.pausedUntil)) + time.Duration(float64(requests)/float64(p.limiter.Limit())*float64(time.Second)), true
}

// listTTL is the TTL of a list of so many pages. If the gateway limits the rate of requests, loading a list takes at most
// listShare of them.
func (p *pacer) listTTL(pages int) time.Duration {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.limiter == nil {
		return listTTL
	}
	seconds := float64(pages) / float64(p.limiter.Limit()) / listShare
	return min(max(listTTL, time.Duration(seconds*float64(time.Second))), maxListTTL)
}

// admit waits until a request may be sent. A request that is not for a detail waits for the end of a Retry-After of at most
// maxHold only, and details make up for it.
func (p *pacer) admit(ctx context.Context) error {
	first, isFetch := ctx.Value(fetchKey{}).(*bool)
	switch {
	case !isFetch:
		return p.hold(ctx)
	case *first:
		*first = false // the fetch queue has waited
		return nil
	}
	return p.wait(ctx, func() int { return 0 })
}

func (p *pacer) hold(ctx context.Context) error {
	now := time.Now()
	p.lock.Lock()
	if p.limiter != nil && p.limiter.TokensAt(now) > -maxDebt {
		p.limiter.ReserveN(now, 1)
	}
	hold := p.pausedUntil.Sub(now)
	p.lock.Unlock()
	if hold <= 0 || hold > maxHold {
		return nil
	}
	return sleep(ctx, hold, nil)
}

// wait waits until a request for a detail may be sent. leave is the number of requests to leave to others; it is called again
// after recheck.
func (p *pacer) wait(ctx context.Context, leave func() int) error {
	for p.isLimited() {
		delay, again := p.take(time.Now(), leave())
		if delay == 0 {
			return nil
		}
		if err := sleep(ctx, delay, again); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sleep waits for a time, or until again is closed. It returns the error of ctx at its end.
func sleep(ctx context.Context, d time.Duration, again <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-again:
	case <-timer.C:
	}
	return nil
}

// take takes the right to send a request, or returns the time after which to try again, or earlier if again is closed.
func (p *pacer) take(now time.Time, leave int) (delay time.Duration, again <-chan struct{}) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.limiter == nil {
		return 0, nil
	}
	if now.Before(p.pausedUntil) {
		return p.pausedUntil.Sub(now), p.changes
	}
	if missing := float64(leave+1) - p.limiter.TokensAt(now); missing > 0 {
		return max(time.Millisecond, time.Duration(missing/float64(p.limiter.Limit())*float64(time.Second))), p.changes
	}
	p.limiter.AllowN(now, 1)
	return 0, nil
}

// recheck lets waiting requests check again whether they may be sent.
func (p *pacer) recheck() {
	p.lock.Lock()
	defer p.lock.Unlock()
	close(p.changes)
	p.changes = make(chan struct{})
}

// record learns from the result of a request that was sent at a time. Only 429s to requests of fetches lower the rate further:
// a list of many pages may be above the limit for a moment, whatever the rate of details is.
func (p *pacer) record(sent time.Time, ofFetch bool, err error) {
	var failed *transport.Error
	if errors.As(err, &failed) && (failed.Status == 0 || errors.Is(failed, transport.ErrUnavailable)) {
		return // it may not have reached the gateway
	}
	now := time.Now()
	p.lock.Lock()
	defer p.lock.Unlock()
	if failed == nil || !errors.Is(failed, transport.ErrRateLimited) {
		p.count(now)
		return
	}
	p.cause = failed
	pause := min(max(failed.RetryAfter, 0), maxRetryAfter)
	if pause == 0 {
		pause = defaultRetryAfter
	}
	if until := now.Add(pause); until.After(p.pausedUntil) {
		p.pausedUntil = until
	}
	if p.limiter != nil && (!ofFetch || sent.Before(p.changed.Add(settleInterval))) {
		return
	}
	served := rate.Limit(float64(p.servedInLastMinute(now)) / 60)
	if p.limiter == nil {
		close(p.hit)
		p.growth = growth
		if pause <= maxHold {
			p.growth = firstGrowth
		}
		// A shorter pause is the rest of the time until the next token.
		p.setRate(now, max(minRate, detailShare*max(served, rate.Every(max(pause, time.Second)))))
	} else {
		p.growth = growth
		p.setRate(now, max(minRate, detailShare*min(served, p.limiter.Limit())))
	}
	p.limiter.AllowN(now, max(0, int(p.limiter.TokensAt(now))))
	log.DefaultLogger.Info("The tuning gateway limits the rate of requests", "retryAfter", pause.String(), "detailsPerMinute", math.Round(float64(p.limiter.Limit())*60))
}

// count counts a response, and raises the rate if there was no 429 for long enough.
func (p *pacer) count(now time.Time) {
	second := now.Unix()
	slot := &p.served[second%int64(len(p.served))]
	if slot.second != second {
		slot.second, slot.count = second, 0
	}
	slot.count++
	if p.limiter == nil || now.Sub(p.changed) <= growthInterval {
		return
	}
	if raised := p.growth * p.limiter.Limit(); raised < forgetRate {
		p.setRate(now, raised)
	} else {
		p.limiter, p.hit = nil, make(chan struct{})
	}
}

func (p *pacer) servedInLastMinute(now time.Time) (n int64) {
	for _, slot := range p.served {
		if now.Unix()-slot.second < int64(len(p.served)) {
			n += slot.count
		}
	}
	return n
}

func (p *pacer) setRate(now time.Time, limit rate.Limit) {
	p.changed = now
	burst := reserve + max(1, int(float64(limit)*burstSeconds))
	if p.limiter == nil {
		p.limiter = rate.NewLimiter(limit, burst)
		return
	}
	p.limiter.SetLimitAt(now, limit)
	p.limiter.SetBurstAt(now, burst)
}
