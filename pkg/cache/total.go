package cache

import (
	"runtime/debug"
	"sync"
)

// maxTotal bounds the bytes of the caches of all data sources. With GOMEMLIMIT, a quarter of that limit is the bound if it is less.
const maxTotal = int64(512 << 20)

// Total is the bound of all caches of the process, in bytes. Tests lower it.
var Total = min(maxTotal, debug.SetMemoryLimit(-1)/4)

// entries are those of one cache, which are bounded by its own limit, too. It is an interface, because each package that uses a cache would
// compile all of otter's generic code otherwise, which is more than its own.
type entries interface {
	GetIfPresent(key string) (entry, bool)
	Set(key string, e entry) (entry, bool)
	Invalidate(key string) (entry, bool)
	InvalidateAll()
	StopAllGoroutines() bool
	WeightedSize() uint64
	GetMaximum() uint64
	SetMaximum(maximum uint64)
}

// all are the caches that are in use. The lock is held while they evict entries.
var all = struct {
	sync.Mutex
	caches map[entries]struct{}
}{caches: map[entries]struct{}{}}

func join(c entries) {
	all.Lock()
	defer all.Unlock()
	all.caches[c] = struct{}{}
}

func leave(c entries) {
	all.Lock()
	defer all.Unlock()
	delete(all.caches, c)
}

// makeRoom evicts entries if all caches together are over their bound: each time of the largest, so that a data source with a small cache does
// not lose entries to one with a large cache, until a tenth of the bound is free, so that it does not do so for each new entry.
func makeRoom() {
	all.Lock()
	defer all.Unlock()
	for most := Total; ; most = Total - Total/10 {
		var largest entries
		used, size := int64(0), uint64(0)
		for c := range all.caches {
			used += int64(c.WeightedSize())
			if c.WeightedSize() > size {
				largest, size = c, c.WeightedSize()
			}
		}
		if used <= most {
			return
		}
		own := largest.GetMaximum()
		largest.SetMaximum(size - min(size, uint64(Total/20)))
		largest.SetMaximum(own)
	}
}
