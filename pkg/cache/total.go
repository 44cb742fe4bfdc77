package cache

import (
	"math"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/maypok86/otter/v2"
)

// maxTotal bounds the bytes of the caches of all data sources. With GOMEMLIMIT, a quarter of that limit is the bound if it is less.
const maxTotal = 512 << 20

// Total is the bound of all caches of the process, in bytes. Tests lower it.
var Total = totalWithin(debug.SetMemoryLimit(-1))

func totalWithin(memoryLimit int64) int64 {
	if memoryLimit == math.MaxInt64 {
		return maxTotal
	}
	return min(maxTotal, memoryLimit/4)
}

// entries are those of one cache, which are bounded by its own limit, too.
type entries = *otter.Cache[string, entry]

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

// makeRoom evicts entries if all caches together are over their bound. It shrinks the largest to the same size, so that a data source
// with a small cache does not lose entries to one with a large cache, and frees a tenth of the bound, so that it does not do so for
// each new entry.
func makeRoom() {
	all.Lock()
	defer all.Unlock()
	used, sizes := int64(0), make([]int64, 0, len(all.caches))
	for c := range all.caches {
		size := int64(c.WeightedSize())
		used, sizes = used+size, append(sizes, size)
	}
	if used <= Total {
		return
	}
	level := fairLevel(sizes, Total-Total/10)
	for c := range all.caches {
		if c.WeightedSize() > level {
			own := c.GetMaximum()
			c.SetMaximum(level)
			c.SetMaximum(own)
		}
	}
}

// fairLevel is the maximum size of a cache with which the sum of all is within a limit.
func fairLevel(sizes []int64, limit int64) uint64 {
	slices.Sort(sizes)
	for i, size := range sizes {
		share := limit / int64(len(sizes)-i)
		if size > share {
			return uint64(share)
		}
		limit -= size
	}
	return math.MaxInt64
}
