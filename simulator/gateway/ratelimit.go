package gateway

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Rate is a number of requests in a time. The zero value is no limit.
type Rate struct {
	Requests int
	Per      time.Duration
}

var ratePeriods = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

// ParseRate reads a rate such as 60/m, per s, m or h.
func ParseRate(text string) (Rate, error) {
	number, unit, _ := strings.Cut(text, "/")
	requests, err := strconv.Atoi(number)
	per, known := ratePeriods[unit]
	if err != nil || requests < 1 || !known {
		return Rate{}, fmt.Errorf("%q is not a rate such as 60/m", text)
	}
	return Rate{requests, per}, nil
}

func (r Rate) String() string { return fmt.Sprintf("%d requests per %s", r.Requests, r.Per) }

// bucket is a token bucket, which is full at first.
type bucket struct{ limiter *rate.Limiter }

func newBucket(r Rate) *bucket {
	if r.Requests == 0 {
		return &bucket{rate.NewLimiter(rate.Inf, 0)}
	}
	return &bucket{rate.NewLimiter(rate.Every(r.Per/time.Duration(r.Requests)), r.Requests)}
}

// take takes a token, or returns how long it is until the next one.
func (b *bucket) take(now time.Time) time.Duration {
	reservation := b.limiter.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}
