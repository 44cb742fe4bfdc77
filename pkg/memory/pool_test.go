package memory_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/memory"
)

// fakeCache is a cache that counts its bytes.
type fakeCache struct {
	share *memory.Share
	mu    sync.Mutex
	used  int64
}

func join(p *memory.Pool) *fakeCache {
	c := &fakeCache{}
	c.share = p.Join(func(to int64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.share.Add(to - c.used)
		c.used = to
	})
	return c
}

func (c *fakeCache) add(bytes int64) {
	c.mu.Lock()
	c.used += bytes
	c.share.Add(bytes)
	c.mu.Unlock()
	c.share.MakeRoom()
}

func TestPool_LargestShrink(t *testing.T) {
	p := memory.NewPool(1000)
	small, middle, large := join(p), join(p), join(p)
	small.add(100)
	middle.add(300)
	large.add(600)
	require.EqualValues(t, 1000, p.Used(), "caches may use the whole limit")
	middle.add(100)
	require.Equal(t, []int64{100, 400, 400}, []int64{small.used, middle.used, large.used})
	small.add(400)
	require.Equal(t, []int64{300, 300, 300}, []int64{small.used, middle.used, large.used})
	require.EqualValues(t, 900, p.Used())
}

func TestPool_Leave(t *testing.T) {
	p := memory.NewPool(1000)
	left, stays := join(p), join(p)
	left.add(500)
	stays.add(500)
	left.share.Leave()
	left.share.Add(-500)
	left.share.Add(700)
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
