// Package memorytest measures in tests what is held on the heap. What may be collected does not count: how much of that there is
// depends on how much of the machine the garbage collector gets.
package memorytest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// garbage is by how many percent the heap may grow before it is collected.
const garbage = 25

// Peak is by how many bytes what is held grows during a call, at most. What is allocated during a collection counts as held, so
// one processor runs all: with several, that would be the more, the longer the others are taken by other programs.
func Peak(call func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	before, done, peak := Held(), make(chan struct{}), make(chan int64)
	go func() {
		for most := before; ; most = max(most, live()) {
			select {
			case <-done:
				peak <- max(most, live())
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	call()
	close(done)
	return <-peak - before
}

// Held is how many bytes are held now.
func Held() int64 {
	for range 3 { // pools survive two collections
		runtime.GC()
	}
	return live()
}

// live is how many bytes the last collection found in use, with those allocated while it ran.
func live() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
