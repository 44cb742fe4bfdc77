package memory_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/memory"
)

const mb = 1 << 20

func TestLimit(t *testing.T) {
	for live, want := range map[uint64]int64{0: 48 * mb, 80 * mb: 128 * mb, 240 * mb: 288 * mb, 1000 * mb: 1200 * mb} {
		require.Equal(t, want, memory.Limit(live))
	}
}

func TestTheLimitFollowsWhatLives(t *testing.T) {
	stop := memory.Bound()
	t.Cleanup(stop)
	eventually := func(low, high int64) {
		t.Helper()
		require.Eventually(t, func() bool {
			runtime.GC()
			limit := debug.SetMemoryLimit(-1)
			return low <= limit && limit <= high
		}, 20*time.Second, 10*time.Millisecond)
	}
	eventually(48*mb, 70*mb)
	held := make([]byte, 100*mb)
	eventually(148*mb, 170*mb)
	runtime.KeepAlive(held)
	eventually(48*mb, 70*mb)
	stop()
	require.EqualValues(t, math.MaxInt64, debug.SetMemoryLimit(-1))
}

func TestALimitThatSomeoneHasSetIsLeftAlone(t *testing.T) {
	debug.SetMemoryLimit(900 * mb)
	t.Cleanup(func() { debug.SetMemoryLimit(math.MaxInt64) })
	stop := memory.Bound()
	for range 3 {
		runtime.GC()
		require.EqualValues(t, 900*mb, debug.SetMemoryLimit(-1))
	}
	stop()
	require.EqualValues(t, 900*mb, debug.SetMemoryLimit(-1))
}
