package memory_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/memory"
)

// fakeCache is a cache that counts its bytes.
type fakeCache struct {
	pool    *memory.Pool
	mu      sync.Mutex
	used    uint64
	maximum uint64
}

func join(p *memory.Pool) *fakeCache {
	c := &fakeCache{pool: p, maximum: 1 << 30}
	p.Join(c)
	return c
}

func (c *fakeCache) add(bytes uint64) {
	c.mu.Lock()
	c.used += bytes
	c.mu.Unlock()
	c.pool.MakeRoom()
}

func (c *fakeCache) WeightedSize() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

func (c *fakeCache) GetMaximum() uint64 { return c.maximum }

func (c *fakeCache) SetMaximum(bytes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.maximum, c.used = bytes, min(c.used, bytes)
}

func TestPool_LargestShrink(t *testing.T) {
	p := memory.NewPool(1000)
	small, middle, large := join(p), join(p), join(p)
	small.add(100)
	middle.add(300)
	large.add(600)
	require.EqualValues(t, 1000, p.Used(), "caches may use the whole limit")
	middle.add(100)
	require.Equal(t, []uint64{100, 400, 400}, []uint64{small.used, middle.used, large.used})
	small.add(400)
	require.Equal(t, []uint64{300, 300, 300}, []uint64{small.used, middle.used, large.used})
	require.EqualValues(t, 900, p.Used())
	require.EqualValues(t, 1<<30, large.maximum, "its own limit is as before")
}

func TestPool_Leave(t *testing.T) {
	p := memory.NewPool(1000)
	left, stays := join(p), join(p)
	left.add(500)
	stays.add(500)
	p.Leave(left)
	left.add(700)
	require.EqualValues(t, 500, p.Used())
	stays.add(500)
	require.EqualValues(t, 1000, stays.used)
}

func TestPool_Concurrent(t *testing.T) {
	p := memory.NewPool(100_000)
	var group sync.WaitGroup
	for range 20 {
		c := join(p)
		group.Go(func() {
			for range 1000 {
				c.add(100)
			}
		})
	}
	group.Wait()
	require.LessOrEqual(t, p.Used(), int64(100_000))
	require.Greater(t, p.Used(), int64(80_000))
}
