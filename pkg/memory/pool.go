package memory

import (
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// maxCaches is how many bytes the caches of all data sources take together at most. Where a memory limit is set (GOMEMLIMIT),
// it is a quarter of that, if that is less.
const maxCaches = 512 << 20

// Caches are the caches of all data sources of this process.
var Caches = NewPool(cachesWithin(debug.SetMemoryLimit(-1)))

func cachesWithin(memoryLimit int64) int64 {
	if memoryLimit == math.MaxInt64 {
		return maxCaches
	}
	return min(maxCaches, memoryLimit/4)
}

// Pool bounds what several caches take together. It is safe for concurrent use.
type Pool struct {
	limit, used atomic.Int64
	// mu guards shares, and is held while caches are made smaller.
	mu     sync.Mutex
	shares map[*Share]struct{}
}

// NewPool makes a pool of so many bytes.
func NewPool(limit int64) *Pool {
	p := &Pool{shares: map[*Share]struct{}{}}
	p.limit.Store(limit)
	return p
}

// SetLimit changes the pool's size and returns what it was.
func (p *Pool) SetLimit(limit int64) (before int64) {
	before = p.limit.Swap(limit)
	p.makeRoom()
	return before
}

// Used is how many bytes all caches take.
func (p *Pool) Used() int64 { return p.used.Load() }

// Share is what one cache takes of a pool.
type Share struct {
	pool   *Pool
	shrink func(to int64)
	mu     sync.Mutex
	used   int64
	left   bool
}

// Join adds a cache to the pool. shrink evicts entries until the cache takes no more than so many bytes; it must not call
// MakeRoom. The cache leaves when it is closed.
func (p *Pool) Join(shrink func(to int64)) *Share {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &Share{pool: p, shrink: shrink}
	p.shares[s] = struct{}{}
	return s
}

// Add counts bytes that an entry takes, or, if they are negative, no longer takes.
func (s *Share) Add(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.left {
		s.used += bytes
		s.pool.used.Add(bytes)
	}
}

// MakeRoom evicts entries if the pool is over its limit. It is called after an entry was added.
func (s *Share) MakeRoom() { s.pool.makeRoom() }

// Leave takes a cache out of the pool, with all that it takes.
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

// makeRoom makes the largest caches smaller, to one size, so that a data source that keeps little does not pay for one that
// keeps much. A tenth becomes free, so that it is not done for each entry.
func (p *Pool) makeRoom() {
	if p.used.Load() <= p.limit.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := p.limit.Load()
	if p.used.Load() <= limit {
		return
	}
	sizes := make([]int64, 0, len(p.shares))
	for s := range p.shares {
		sizes = append(sizes, s.size())
	}
	level := fairLevel(sizes, limit-limit/10)
	for s := range p.shares {
		if s.size() > level {
			s.shrink(level)
		}
	}
}

// fairLevel is the size to which all that is larger is cut, so that the sum is within a limit.
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
