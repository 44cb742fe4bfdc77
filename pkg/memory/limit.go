package memory

import (
	"math"
	"runtime/debug"
)

// defaultLimit is the soft memory limit of the process: half of it is for the caches, half for responses and garbage.
const defaultLimit = 2 * maxCaches

// SetLimit sets Go's soft memory limit, unless the environment variable GOMEMLIMIT does.
func SetLimit() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(defaultLimit)
	}
}
