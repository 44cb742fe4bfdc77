package transport

import (
	"sync/atomic"
	"time"
)

// LearnedTTL is how long what was learned of a service is believed: an outage may have caused it, and a rollout, or another service
// behind the same address, changes it.
const LearnedTTL = 5 * time.Minute

// Learned is what is known of a service by its responses, for a while. The zero value knows nothing. It is safe for concurrent use.
type Learned[T any] struct{ last atomic.Pointer[learned[T]] }

type learned[T any] struct {
	value T
	until time.Time
}

// Get returns what is known at a time.
func (l *Learned[T]) Get(now time.Time) (value T, ok bool) {
	last := l.last.Load()
	if last == nil || !now.Before(last.until) {
		return value, false
	}
	return last.value, true
}

// Set is called with what a response at a time shows.
func (l *Learned[T]) Set(value T, now time.Time) {
	l.last.Store(&learned[T]{value, now.Add(LearnedTTL)})
}
