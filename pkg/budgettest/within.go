//go:build unix

// Package budgettest checks in tests that a call stays within budgets of processor time and memory.
package budgettest

import (
	"runtime"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
)

// attempts is how often a call over its budget is repeated: the garbage of other calls may be collected while it runs.
const attempts = 3

// Within fails a test if a call takes more processor time or allocates more bytes than its budget. The race detector
// multiplies both. Other processes do not count; other goroutines do.
func Within(t require.TestingT, processor time.Duration, bytes uint64, call func()) {
	processor, bytes = processor*overhead, bytes*overhead
	took, allocated := time.Duration(0), uint64(0)
	for range attempts {
		if took, allocated = Cost(t, call); took <= processor && allocated <= bytes {
			return
		}
	}
	require.LessOrEqual(t, took, processor, "processor time")
	require.LessOrEqual(t, allocated, bytes, "allocated bytes")
}

// Cost is the processor time of a call, and the bytes that it allocates.
func Cost(t require.TestingT, call func()) (processor time.Duration, bytes uint64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := processorTime(t)
	call()
	processor = processorTime(t) - start
	runtime.ReadMemStats(&after)
	return processor, after.TotalAlloc - before.TotalAlloc
}

func processorTime(t require.TestingT) time.Duration {
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
