package plugin_test

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

const mb = 1 << 20

func TestLimitMemory_Memory(t *testing.T) {
	for name, test := range map[string]struct{ before, after int64 }{
		"without GOMEMLIMIT": {math.MaxInt64, 1024 * mb},
		"with GOMEMLIMIT":    {900 * mb, 900 * mb},
	} {
		t.Run(name, func(t *testing.T) {
			restoreLimits(t)
			debug.SetMemoryLimit(test.before)
			plugin.LimitMemory()
			require.Equal(t, test.after, debug.SetMemoryLimit(-1))
		})
	}
}

func TestLimitMemory_Garbage(t *testing.T) {
	for name, test := range map[string]struct{ set, want int }{
		"without GOGC":  {100, 50},
		"with GOGC=80":  {80, 80}, // which Go itself has read at the start
		"with GOGC=off": {-1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			restoreLimits(t)
			debug.SetGCPercent(test.set)
			plugin.LimitMemory()
			require.Equal(t, test.want, debug.SetGCPercent(100))
		})
	}
}

// restoreLimits sets the limits of the process as they are now at the end of a test.
func restoreLimits(t *testing.T) {
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	t.Cleanup(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	})
}
