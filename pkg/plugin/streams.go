package plugin

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/bulkhead"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// stallTimeout is how long a response may wait for its reader. A Prometheus that scrapes reads without a pause, and its scrape
// timeout is 10 s by default.
const stallTimeout = 30 * time.Second

// maxWaiting bounds the responses of a kind that wait for a slot.
const maxWaiting = 16

// streams bounds the responses of a kind that are under way.
type streams struct {
	slots bulkhead.Bulkhead[any]
	// waiting are those that wait for a slot. One more than maxWaiting has the error full at once, because each has its result in memory.
	waiting atomic.Int32
	// wait is how long one more waits for a slot; after that its error is full.
	wait time.Duration
	full *transport.Error
}

func newStreams(slots uint, wait time.Duration, full string) *streams {
	return &streams{
		slots: bulkhead.New[any](slots), wait: wait, full: &transport.Error{Kind: transport.ErrRateLimited, Status: http.StatusTooManyRequests, Message: full},
	}
}

// open waits for a slot for a response, which holds it until it is closed or its reader stalls. Errors are *transport.Error.
func (s *streams) open(w http.ResponseWriter, r *http.Request) (*stream, error) {
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxWaiting {
		return nil, s.full
	}
	ctx, cancel := context.WithCancel(r.Context())
	if err := s.slots.AcquirePermitWithMaxWait(ctx, s.wait); err != nil {
		cancel()
		if r.Context().Err() != nil {
			return nil, errNotRun
		}
		return nil, s.full
	}
	return &stream{w, ctx, sync.OnceFunc(func() {
		cancel()
		s.slots.ReleasePermit()
	})}, nil
}

// stream is a response that is sent while it is written. Its context ends with it, and if its reader takes nothing for
// [stallTimeout]: the slot is free then, even while the write still blocks.
type stream struct {
	http.ResponseWriter
	ctx   context.Context
	close func()
}

func (s *stream) Write(b []byte) (int, error) {
	defer panics.AfterFunc(stallTimeout, s.close).Stop()
	n, err := s.ResponseWriter.Write(b)
	_ = http.NewResponseController(s.ResponseWriter).Flush() // of a writer that can
	return n, cmp.Or(err, s.ctx.Err())
}
