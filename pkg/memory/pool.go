package memory

import (
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
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

// Pool bounds the memory of several caches. It is safe for concurrent use.
type Pool struct {
	limit int64
	used  atomic.Int64
	// mu guards shares, and is held while caches evict entries.
	mu     sync.Mutex
	shares map[*Share]struct{}
}

// NewPool makes a pool of so many bytes.
func NewPool(limit int64) *Pool {
	return &Pool{limit: limit, shares: map[*Share]struct{}{}}
}

// Used is the number of bytes of all caches.
func (p *Pool) Used() int64 { return p.used.Load() }

// Share is the part of a pool that one cache uses.
type Share struct {
	pool   *Pool
	shrink func(to int64)
	mu     sync.Mutex
	used   int64
	left   bool
}

// Join adds a cache to the pool. shrink evicts entries until the cache uses at most so many bytes; it must not call MakeRoom.
// A cache that is closed must leave the pool.
func (p *Pool) Join(shrink func(to int64)) *Share {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &Share{pool: p, shrink: shrink}
	p.shares[s] = struct{}{}
	return s
}

// Add adds the bytes of a new entry, or subtracts those of a deleted one if they are negative.
func (s *Share) Add(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left {
		s.used += bytes
		s.pool.used.Add(bytes)
	}
}

// MakeRoom evicts entries if the pool is over its limit. Call it after an entry was added.
func (s *Share) MakeRoom() { s.pool.makeRoom() }

// Leave removes a cache from the pool, with all its bytes.
func (s *Share) Leave() {
	s.pool.mu.Lock()
	delete(s.pool.shares, s)
	s.pool.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
	s.pool.used.Add(-s.used)
	s.used = 0
}

func (s *Share) size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// makeRoom shrinks the largest caches to the same size, so that a data source with a small cache does not lose entries to one
// with a large cache. It frees a tenth of the limit, so that it does not run for each new entry.
func (p *Pool) makeRoom() {
	if p.used.Load() <= p.limit {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used.Load() <= p.limit {
		return
	}
	sizes := make([]int64, 0, len(p.shares))
	for s := range p.shares {
		sizes = append(sizes, s.size())
	}
	level := fairLevel(sizes, p.limit-p.limit/10)
	for s := range p.shares {
		if s.size() > level {
			s.shrink(level)
		}
	}
}

// fairLevel is the maximum size of a cache with which the sum of all is within a limit.
func fairLevel(sizes []int64, limit int64) int64 {
	slices.Sort(sizes)
	for i, size := range sizes {
		share := limit / int64(len(sizes)-i)
		if size > share {
			return share
		}
		limit -= size
	}
	return math.MaxInt64
}
