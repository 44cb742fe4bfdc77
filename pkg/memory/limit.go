package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// leastRoom is how much a small process may take beyond what lives: answers on their way, and the runtime itself.
	leastRoom = 48 << 20
	// share of what lives is the room of a large one. The less, the more often all that lives has to be looked through.
	share = 5
	// noticeable is by how much a limit has to differ from the one before to be set.
	noticeable = 1 << 20
)

// Limit is how much memory the process should take while so many bytes of it live.
func Limit(live uint64) int64 { return int64(live + max(leastRoom, live/share)) }

// Bound sets the runtime's soft limit anew after each collection, to the [Limit] of what that left alive. So it never comes
// close to what is needed, where the collector would run all the time. A limit that someone has set, by GOMEMLIMIT for
// example, is left alone. It goes on until stop is called, which lifts the limit.
func Bound() (stop func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	b := &bound{}
	b.afterNextCollection()
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.stopped = true
		debug.SetMemoryLimit(math.MaxInt64)
	}
}

type bound struct {
	mu      sync.Mutex
	limit   int64
	stopped bool
}

// afterNextCollection adjusts the limit once something that nobody holds has been collected.
func (b *bound) afterNextCollection() {
	forgotten := new([leastCollected]byte)
	runtime.AddCleanup(forgotten, func(b *bound) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !b.stopped {
			b.adjust()
			b.afterNextCollection()
		}
	}, b)
}

// leastCollected is the size from which on a value is collected for itself; smaller ones share their memory.
const leastCollected = 16

func (b *bound) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if limit := Limit(live[0].Value.Uint64()); limit > b.limit+noticeable || limit < b.limit-noticeable {
		b.limit = limit
		debug.SetMemoryLimit(limit)
	}
}
