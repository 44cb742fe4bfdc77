package memory

import (
	"math"
	"runtime/debug"
)

// defaultLimit is the soft limit of the process: what the caches may take, and as much again for responses and garbage.
const defaultLimit = 2 * maxCaches

// SetLimit sets Go's soft memory limit, unless GOMEMLIMIT does.
func SetLimit() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(defaultLimit)
	}
}
