//go:build unix

// Package budgettest checks in tests that a call stays within budgets of processor time and memory.
package budgettest

import (
	"encoding/json"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
)

// attempts is how often a call over its budget is repeated: the garbage of other calls may be collected while it runs. Before the first
// it is not collected, which would take longer than most calls.
const attempts = 5

// Within fails a test if a call takes more processor time or allocates more bytes than its budget. The race detector
// multiplies both. Budgets of time are for the machine of [reference]: a slower one, or one that shares its processors with other
// programs, has more, in proportion to what it takes for the reference at that moment. Other goroutines count.
func Within(t require.TestingT, processor time.Duration, bytes uint64, call func()) {
	processor, bytes = processor*overhead, bytes*overhead
	took, allocated := cost(t, call)
	if took <= processor && allocated <= bytes {
		return
	}
	for range attempts {
		if took, allocated = Cost(t, call); took <= processor && allocated <= bytes {
			return
		}
		took = time.Duration(float64(took) / max(1, slowdown(t)))
		if took <= processor && allocated <= bytes {
			return
		}
	}
	require.LessOrEqual(t, took, processor, "processor time, as on the machine of the budgets")
	require.LessOrEqual(t, allocated, bytes, "allocated bytes")
}

// reference is the processor time of [referenceWork] on the machine that budgets are for, when it does nothing else.
const reference = 40 * time.Millisecond

// referenceWork reads and allocates, as the code under test does.
func referenceWork() {
	var items []map[string]any
	_ = json.Unmarshal(referenceText, &items)
}

var referenceText = []byte("[" + strings.Repeat(`{"name":"a","value":1.5,"labels":["b","c"]},`, 20_000) + "{}]")

// slowdown is by what factor this machine is slower at this moment than the one of the budgets.
func slowdown(t require.TestingT) float64 {
	took, _ := Cost(t, referenceWork)
	return float64(took) / float64(reference*overhead)
}

// Cost is the processor time of a call, and the bytes that it allocates.
func Cost(t require.TestingT, call func()) (processor time.Duration, bytes uint64) {
	runtime.GC()
	return cost(t, call)
}

func cost(t require.TestingT, call func()) (processor time.Duration, bytes uint64) {
	var before, after runtime.MemStats
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
