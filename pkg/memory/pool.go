package memory

import (
	"math"
	"runtime/debug"
	"slices"
	"sync"
)

// maxCaches bounds the bytes of the caches of all data sources. With GOMEMLIMIT, a quarter of that limit is the bound if it is
// less.
const maxCaches = 512 << 20

// Caches is the pool of the caches of all data sources.
var Caches = NewPool(cachesWithin(debug.SetMemoryLimit(-1)))

func cachesWithin(memoryLimit int64) int64 {
	if memoryLimit == math.MaxInt64 {
		return maxCaches
	}
	return min(maxCaches, memoryLimit/4)
}

// cache is one that is bounded by its own limit, too.
type cache interface {
	// WeightedSize is how many bytes its entries take.
	WeightedSize() uint64
	// SetMaximum evicts entries until they take at most so many bytes.
	SetMaximum(bytes uint64)
	// GetMaximum is its own limit.
	GetMaximum() uint64
}

// Pool bounds the memory of several caches. It is safe for concurrent use.
type Pool struct {
	limit int64
	// mu guards caches, and is held while they evict entries.
	mu     sync.Mutex
	caches map[cache]struct{}
}

// NewPool makes a pool of so many bytes.
func NewPool(limit int64) *Pool {
	return &Pool{limit: limit, caches: map[cache]struct{}{}}
}

// Join adds a cache to the pool. One that is closed must leave it.
func (p *Pool) Join(c cache) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.caches[c] = struct{}{}
}

// Leave removes a cache from the pool.
func (p *Pool) Leave(c cache) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.caches, c)
}

// Used is the number of bytes of all caches.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	used, _ := p.sizes()
	return used
}

func (p *Pool) sizes() (sum int64, all []int64) {
	for c := range p.caches {
		size := int64(c.WeightedSize())
		sum, all = sum+size, append(all, size)
	}
	return sum, all
}

// MakeRoom evicts entries if the pool is over its limit. Call it after an entry was added. It shrinks the largest caches to the same
// size, so that a data source with a small cache does not lose entries to one with a large cache, and frees a tenth of the limit, so
// that it does not do so for each new entry.
func (p *Pool) MakeRoom() {
	p.mu.Lock()
	defer p.mu.Unlock()
	used, sizes := p.sizes()
	if used <= p.limit {
		return
	}
	level := fairLevel(sizes, p.limit-p.limit/10)
	for c := range p.caches {
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
