package promclient

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"
)

// attempts measures the attempts to send a request.
type attempts struct {
	mu sync.Mutex
	n  int
	// last is when the last attempt was written to its connection; before that it may wait for a slot, or for a retry.
	last time.Time
}

// withAttempts returns a context in which the attempts to send requests are measured.
func withAttempts(ctx context.Context) (context.Context, *attempts) {
	a := &attempts{}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.n++
		a.last = time.Now()
	}}), a
}

// repeated reports whether there was more than one attempt.
func (a *attempts) repeated() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n > 1
}

// took is the time since the last attempt was written; 0 if none was.
func (a *attempts) took() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last.IsZero() {
		return 0
	}
	return time.Since(a.last)
}
