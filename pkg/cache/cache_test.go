package cache_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newCache(t *testing.T, maxBytes int, now func() time.Time) *cache.Cache {
	t.Helper()
	c := cache.New(cache.Options{MaxBytes: maxBytes, Now: now})
	t.Cleanup(c.Close)
	return c
}

// loads returns a load of a value of so many bytes, with a TTL of a minute.
func loads(value string, bytes int) func(context.Context) (cache.Loaded[string], error) {
	return func(context.Context) (cache.Loaded[string], error) {
		return cache.Loaded[string]{Value: value, Bytes: bytes, TTL: time.Minute}, nil
	}
}

// isCached reports whether there is a value without a load.
func isCached(t *testing.T, c *cache.Cache, key string) bool {
	t.Helper()
	_, err := cache.Through(t.Context(), c, key, func(context.Context) (cache.Loaded[string], error) {
		return cache.Loaded[string]{}, errors.New("not cached")
	})
	return err == nil
}

func TestThrough_TTL(t *testing.T) {
	now := time.Now()
	c := newCache(t, 1<<20, func() time.Time { return now })
	calls := 0
	load := func(context.Context) (cache.Loaded[int], error) {
		calls++
		return cache.Loaded[int]{Value: calls, TTL: time.Minute}, nil
	}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {59 * time.Second, 1}, {time.Second, 2}} {
		now = now.Add(step.after)
		got, err := cache.Through(t.Context(), c, "key", load)
		require.NoError(t, err)
		require.Equal(t, step.want, got)
	}
}

func TestThrough_Stale(t *testing.T) {
	now := time.Now()
	c := cache.New(cache.Options{MaxBytes: 1 << 20, Now: func() time.Time { return now }, MaxStale: 3 * time.Minute, Stale: func(_ context.Context, err error) time.Duration {
		if err != nil {
			return 3 * time.Minute
		}
		return 2 * time.Minute
	}})
	t.Cleanup(c.Close)
	through := func(load func(context.Context) (cache.Loaded[string], error)) string {
		got, _ := cache.Through(t.Context(), c, "key", load)
		return got
	}
	fails := func(context.Context) (cache.Loaded[string], error) { return cache.Loaded[string]{}, errors.New("no") }
	require.Equal(t, "a", through(loads("a", 100)))
	now = now.Add(90 * time.Second)
	require.Equal(t, "a", through(loads("b", 100)), "it counts for longer than its minute")
	now = now.Add(time.Minute)
	require.Equal(t, "a", through(fails), "and longer if there is no other")
	require.Equal(t, "b", through(loads("b", 100)))
	now = now.Add(3 * time.Minute)
	require.Empty(t, through(fails))
}

func TestThrough_MaxBytes(t *testing.T) {
	const valueBytes, maxEntries = 64 << 10, 8
	c := newCache(t, maxEntries*valueBytes, time.Now)
	for i := range 100 {
		_, err := cache.Through(t.Context(), c, fmt.Sprint(i), loads("value", valueBytes))
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		cached := 0
		for i := range 100 {
			if isCached(t, c, fmt.Sprint(i)) {
				cached++
			}
		}
		return cached > 0 && cached <= maxEntries
	}, 10*time.Second, 10*time.Millisecond, "eviction is asynchronous")
}

func TestThrough_LargeValueNotCached(t *testing.T) {
	const maxBytes = 1 << 20
	now := time.Now()
	c := newCache(t, maxBytes, func() time.Time { return now })
	_, err := cache.Through(t.Context(), c, "key", loads("small", 100))
	require.NoError(t, err)
	now = now.Add(time.Minute)
	got, err := cache.Through(t.Context(), c, "key", loads("large", maxBytes))
	require.NoError(t, err)
	require.Equal(t, "large", got)
	require.False(t, isCached(t, c, "key"))

	now = now.Add(-time.Minute)
	require.False(t, isCached(t, c, "key"), "the previous value is deleted")
}

func TestThrough_NoTTLNotCached(t *testing.T) {
	now := time.Now()
	c := newCache(t, 1<<20, func() time.Time { return now })
	_, err := cache.Through(t.Context(), c, "key", func(context.Context) (cache.Loaded[string], error) { return cache.Loaded[string]{Value: "value"}, nil })
	require.NoError(t, err)
	now = now.Add(-time.Second)
	require.False(t, isCached(t, c, "key"))
}

// fill adds values of 100 KB to a cache.
func fill(t *testing.T, c *cache.Cache, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		_, err := cache.Through(t.Context(), c, fmt.Sprint(i), loads("value", 100<<10))
		require.NoError(t, err)
	}
}

func cached(t *testing.T, c *cache.Cache) (n int) {
	t.Helper()
	for i := range 20 {
		if isCached(t, c, fmt.Sprint(i)) {
			n++
		}
	}
	return n
}

// The largest caches shrink to the same size, and one that is closed counts no more.
func TestTotal_LargestShrink(t *testing.T) {
	t.Cleanup(func(before int64) func() { return func() { cache.Total = before } }(cache.Total))
	cache.Total = 1010 << 10 // and the tables' share
	small, middle, large := newCache(t, 1<<30, time.Now), newCache(t, 1<<30, time.Now), newCache(t, 1<<30, time.Now)
	fill(t, small, 0, 1)
	fill(t, middle, 0, 3)
	fill(t, large, 0, 6)
	require.Equal(t, []int{1, 3, 6}, []int{cached(t, small), cached(t, middle), cached(t, large)}, "caches may use the whole bound")
	fill(t, middle, 3, 4)
	require.Equal(t, []int{1, 4, 4}, []int{cached(t, small), cached(t, middle), cached(t, large)})
	fill(t, small, 1, 5)
	require.Equal(t, []int{3, 3, 3}, []int{cached(t, small), cached(t, middle), cached(t, large)}, "a tenth is free")
	large.Close()
	fill(t, middle, 4, 7)
	require.Equal(t, []int{3, 6}, []int{cached(t, small), cached(t, middle)})
}

// Each cache keeps its share, for two values of all, while five goroutines fill each at the same time.
func TestTotal_Concurrent(t *testing.T) {
	t.Cleanup(func(before int64) func() { return func() { cache.Total = before } }(cache.Total))
	cache.Total = 1 << 20
	var group sync.WaitGroup
	caches := make([]*cache.Cache, 4)
	for i := range caches {
		caches[i] = newCache(t, 1<<30, time.Now)
		for range 5 {
			group.Go(func() { fill(t, caches[i], 0, 20) })
		}
	}
	group.Wait()
	all := 0
	for _, c := range caches {
		all += cached(t, c)
	}
	require.LessOrEqual(t, all, 10)
	require.GreaterOrEqual(t, all, 8)
}

func TestThrough_Coalesces(t *testing.T) { synctest.Test(t, coalesces) }

func coalesces(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	var calls atomic.Int32
	release := make(chan struct{})
	load := func(ctx context.Context) (cache.Loaded[string], error) {
		calls.Add(1)
		<-release
		return loads("value", 1)(ctx)
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			got, err := cache.Through(context.Background(), c, "key", load)
			if err != nil || got != "value" {
				t.Error(got, err)
			}
		})
	}
	synctest.Wait()
	close(release)
	all.Wait()
	require.EqualValues(t, 1, calls.Load())
}

// A caller with requests left does not get the error of another's budget, whose load it has joined.
func TestThrough_BudgetOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 1<<20, time.Now)
		load := func(ctx context.Context) (cache.Loaded[string], error) {
			for range 3 {
				if err := transport.Take(ctx); err != nil {
					return cache.Loaded[string]{}, err
				}
				time.Sleep(time.Second)
			}
			return loads("value", 1)(ctx)
		}
		var poor, rich error
		var all sync.WaitGroup
		all.Go(func() { _, poor = cache.Through(transport.WithBudget(t.Context(), 2), c, "key", load) })
		synctest.Wait()
		all.Go(func() { _, rich = cache.Through(transport.WithBudget(t.Context(), 3), c, "key", load) })
		all.Wait()
		require.ErrorIs(t, poor, transport.ErrBudget)
		require.NoError(t, rich)
	})
}

func TestThrough_ErrorNotCached(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	failure := errors.New("unavailable")
	_, err := cache.Through(t.Context(), c, "key", func(context.Context) (cache.Loaded[string], error) { return cache.Loaded[string]{}, failure })
	require.ErrorIs(t, err, failure)
	got, err := cache.Through(t.Context(), c, "key", loads("value", 1))
	require.NoError(t, err)
	require.Equal(t, "value", got)
}

// All who wait for a load get its error, which has not the value of the panic.
func TestThrough_PanicIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 1<<20, time.Now)
		begin := make(chan struct{})
		failed := make([]error, 3)
		var callers sync.WaitGroup
		for i := range failed {
			callers.Go(func() {
				_, failed[i] = cache.Through(t.Context(), c, "key", func(context.Context) (cache.Loaded[string], error) { <-begin; panic("a secret") })
			})
		}
		synctest.Wait()
		close(begin)
		callers.Wait()
		for _, err := range failed {
			require.ErrorIs(t, err, panics.Err)
			require.NotContains(t, err.Error(), "secret")
		}
	})
}

// What was requested before the caches were refreshed may be older than what the user wants to see.
func TestClear_LoadsInFlightNotCached(t *testing.T) {
	for name, end := range map[string]func(*cache.Cache){"cleared": (*cache.Cache).Clear, "closed": (*cache.Cache).Close} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t, 1<<20, time.Now)
			got, err := cache.Through(t.Context(), c, "key", func(ctx context.Context) (cache.Loaded[string], error) {
				end(c)
				return loads("value", 1)(ctx)
			})
			require.NoError(t, err)
			require.Equal(t, "value", got, "its caller has it")
			require.False(t, isCached(t, c, "key"))
		})
	}
}

// A user may leave or refresh a dashboard while the platform is slow.
func TestThrough_LastCallerCancels(t *testing.T) { synctest.Test(t, lastCallerCancels) }

func lastCallerCancels(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	arrived, ended := make(chan struct{}, 2), make(chan struct{})
	load := func(ctx context.Context) (cache.Loaded[string], error) {
		arrived <- struct{}{}
		<-ctx.Done()
		close(ended)
		return cache.Loaded[string]{Value: "unused"}, ctx.Err()
	}
	call := func() (cancelCall func()) {
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error)
		go func() {
			_, err := cache.Through(ctx, c, "key", load)
			result <- err
		}()
		return func() {
			cancel()
			require.ErrorIs(t, <-result, context.Canceled)
		}
	}
	cancelFirst := call()
	<-arrived
	cancelSecond := call()
	synctest.Wait()
	cancelFirst()
	synctest.Wait()
	select {
	case <-ended:
		t.Fatal("the load was canceled while a caller waited")
	default:
	}
	cancelSecond()
	<-ended

	got, err := cache.Through(t.Context(), c, "key", loads("value", 1))
	require.NoError(t, err, "the next caller loads again")
	require.Equal(t, "value", got)
}

func TestThrough_DeadlineOfFirstCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(t, 1<<20, time.Now)
		arrived, release := make(chan struct{}), make(chan struct{})
		first, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		result := make(chan error)
		go func() {
			_, err := cache.Through(first, c, "key", func(ctx context.Context) (cache.Loaded[string], error) {
				close(arrived)
				select {
				case <-release:
					return loads("value", 1)(ctx)
				case <-ctx.Done():
					return cache.Loaded[string]{}, ctx.Err()
				}
			})
			result <- err
		}()
		<-arrived
		second := make(chan string)
		go func() {
			got, _ := cache.Through(t.Context(), c, "key", loads("its own", 1))
			second <- got
		}()
		require.ErrorIs(t, <-result, context.DeadlineExceeded)
		close(release)
		require.Equal(t, "value", <-second)
	})
}

// A cache that is cleared while a value is stored does not have it afterwards.
func TestSet_ClearedMeanwhile(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	for range 20_000 {
		clears, now := c.Clears(), time.Now()
		var both sync.WaitGroup
		both.Go(c.Clear)
		both.Go(func() { c.Set("key", "value", 1, now, now.Add(time.Minute), clears) })
		both.Wait()
		_, ok := cache.Get[string](c, "key", 0)
		require.False(t, ok)
	}
}
