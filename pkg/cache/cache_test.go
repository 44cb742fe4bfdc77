package cache_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newCache(t *testing.T, maxBytes int, now func() time.Time) *cache.Cache {
	t.Helper()
	c := cache.New(maxBytes, now)
	t.Cleanup(c.Close)
	return c
}

// loads returns a load of a value of so many bytes, which stays true for a minute.
func loads(value string, bytes int) func(context.Context) (cache.Answer[string], error) {
	return func(context.Context) (cache.Answer[string], error) {
		return cache.Answer[string]{Value: value, Bytes: bytes, Keep: time.Minute}, nil
	}
}

func TestAnAnswerIsKeptForAsLongAsItStaysTrue(t *testing.T) {
	now := time.Now()
	c := newCache(t, 1<<20, func() time.Time { return now })
	calls := 0
	load := func(context.Context) (cache.Answer[int], error) {
		calls++
		return cache.Answer[int]{Value: calls, Keep: time.Minute}, nil
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

func TestAnswersTakeNoMoreThanTheyMay(t *testing.T) {
	const answerBytes, most = 64 << 10, 8
	c := newCache(t, most*answerBytes, time.Now)
	for i := range 100 {
		_, err := cache.Through(t.Context(), c, fmt.Sprint(i), loads("value", answerBytes))
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		kept := 0
		for i := range 100 {
			if _, ok := cache.Get[string](c, fmt.Sprint(i)); ok {
				kept++
			}
		}
		return kept > 0 && kept <= most
	}, 10*time.Second, 10*time.Millisecond, "more is dropped a moment later")
}

func TestAnAnswerThatIsLargerThanTheCacheIsNotKept(t *testing.T) {
	const most = 1 << 20
	now := time.Now()
	c := newCache(t, most, func() time.Time { return now })
	_, err := cache.Through(t.Context(), c, "key", loads("small", 100))
	require.NoError(t, err)
	now = now.Add(time.Minute)
	got, err := cache.Through(t.Context(), c, "key", loads("large", most))
	require.NoError(t, err)
	require.Equal(t, "large", got)
	_, ok := cache.Get[string](c, "key")
	require.False(t, ok)

	now = now.Add(-time.Minute)
	_, ok = cache.Get[string](c, "key")
	require.False(t, ok, "nor is the one before it")
}

func TestAnAnswerThatStaysTrueForNoTimeIsNotKept(t *testing.T) {
	now := time.Now()
	c := newCache(t, 1<<20, func() time.Time { return now })
	_, err := cache.Through(t.Context(), c, "key", func(context.Context) (cache.Answer[string], error) { return cache.Answer[string]{Value: "value"}, nil })
	require.NoError(t, err)
	now = now.Add(-time.Second)
	_, ok := cache.Get[string](c, "key")
	require.False(t, ok)
}

func TestTheSameCallIsMadeOnceForAllWhoAsk(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	var calls atomic.Int32
	release := make(chan struct{})
	load := func(ctx context.Context) (cache.Answer[string], error) {
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
	time.Sleep(50 * time.Millisecond) // for most of them to ask
	close(release)
	all.Wait()
	require.EqualValues(t, 1, calls.Load())
}

func TestAFailureIsNotKept(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	failure := errors.New("out of order")
	_, err := cache.Through(t.Context(), c, "key", func(context.Context) (cache.Answer[string], error) { return cache.Answer[string]{}, failure })
	require.ErrorIs(t, err, failure)
	got, err := cache.Through(t.Context(), c, "key", loads("value", 1))
	require.NoError(t, err)
	require.Equal(t, "value", got)
}

func TestAPanicIsAnErrorThatDoesNotQuoteIt(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	_, err := cache.Through(t.Context(), c, "key", func(context.Context) (cache.Answer[string], error) { panic("a secret") })
	require.ErrorIs(t, err, panics.Err)
	require.NotContains(t, err.Error(), "secret")
}

func TestClosingEndsCallsThatAreUnderWay(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	arrived, failed := make(chan struct{}), make(chan error)
	go func() {
		_, err := cache.Through(context.Background(), c, "key", func(ctx context.Context) (cache.Answer[string], error) {
			close(arrived)
			<-ctx.Done()
			return cache.Answer[string]{}, ctx.Err()
		})
		failed <- err
	}()
	<-arrived
	c.Close()
	require.ErrorIs(t, <-failed, context.Canceled)
}

// TestALoadEndsWithTheLastCallerThatWaits is about dashboards that are left, or refreshed, while the platform is slow.
func TestALoadEndsWithTheLastCallerThatWaits(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	arrived, ended := make(chan struct{}, 2), make(chan struct{})
	load := func(ctx context.Context) (cache.Answer[string], error) {
		arrived <- struct{}{}
		<-ctx.Done()
		close(ended)
		return cache.Answer[string]{Value: "for nobody"}, ctx.Err()
	}
	call := func() (leave func()) {
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			_, err := cache.Through(ctx, c, "key", load)
			left <- err
		}()
		return func() {
			cancel()
			require.ErrorIs(t, <-left, context.Canceled)
		}
	}
	leaveFirst := call()
	<-arrived
	leaveSecond := call()
	time.Sleep(50 * time.Millisecond) // for the second caller to join
	leaveFirst()
	select {
	case <-ended:
		t.Fatal("the load ended while a caller waited")
	case <-time.After(50 * time.Millisecond):
	}
	leaveSecond()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the load goes on although no caller waits")
	}

	got, err := cache.Through(t.Context(), c, "key", loads("value", 1))
	require.NoError(t, err, "the next caller loads anew")
	require.Equal(t, "value", got)
}

func TestALoadHasNoDeadlineOfItsFirstCaller(t *testing.T) {
	c := newCache(t, 1<<20, time.Now)
	arrived, release := make(chan struct{}), make(chan struct{})
	first, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	left := make(chan error)
	go func() {
		_, err := cache.Through(first, c, "key", func(ctx context.Context) (cache.Answer[string], error) {
			close(arrived)
			select {
			case <-release:
				return loads("value", 1)(ctx)
			case <-ctx.Done():
				return cache.Answer[string]{}, ctx.Err()
			}
		})
		left <- err
	}()
	<-arrived
	second := make(chan string)
	go func() {
		got, _ := cache.Through(t.Context(), c, "key", loads("its own", 1))
		second <- got
	}()
	require.ErrorIs(t, <-left, context.DeadlineExceeded)
	close(release)
	require.Equal(t, "value", <-second)
}
