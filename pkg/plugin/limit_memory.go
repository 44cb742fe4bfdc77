package plugin

import (
	"math"
	"runtime/debug"
)

const (
	// defaultLimit is the soft memory limit of the process, which shares a machine with Grafana: half of it is for all caches, half for
	// responses and garbage.
	defaultLimit = 1 << 30
	// unsetGarbage is Go's own garbage collection target. https://pkg.go.dev/runtime#hdr-Environment_Variables
	unsetGarbage = 100
	// defaultGarbage is how much the heap may grow between two garbage collections, in percent of what is in use. By Go's own 100,
	// a full cache costs as much again in garbage.
	defaultGarbage = 50
)

// LimitMemory sets Go's soft memory limit and its garbage collection target, unless the environment variables GOMEMLIMIT and GOGC
// have set another than Go's own. Go has read both: Grafana's catalog allows plugins no look at the environment.
func LimitMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(defaultLimit)
	}
	if set := debug.SetGCPercent(defaultGarbage); set != unsetGarbage {
		debug.SetGCPercent(set)
	}
}
