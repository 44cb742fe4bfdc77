package memory_test

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/memory"
)

const mb = 1 << 20

func TestSetLimit(t *testing.T) {
	for name, test := range map[string]struct{ before, after int64 }{
		"without GOMEMLIMIT": {math.MaxInt64, 1024 * mb},
		"with GOMEMLIMIT":    {900 * mb, 900 * mb},
	} {
		t.Run(name, func(t *testing.T) {
			original := debug.SetMemoryLimit(test.before)
			t.Cleanup(func() { debug.SetMemoryLimit(original) })
			memory.SetLimit()
			require.Equal(t, test.after, debug.SetMemoryLimit(-1))
		})
	}
}
