package main

import (
	"fmt"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// status is what Linux says of the process. A process that has ended and was not waited for has no memory.
func (b *runningBackend) status() (procfs.ProcStatus, error) {
	status, err := b.proc.NewStatus()
	if err == nil && status.VmRSS == 0 {
		err = fmt.Errorf("process %d has ended", b.proc.PID)
	}
	return status, err
}

func (b *runningBackend) residentMemory() (uint64, error) {
	status, err := b.status()
	return status.VmRSS, err
}

func (b *runningBackend) peakMemory() (uint64, error) {
	status, err := b.status()
	return status.VmHWM, err
}

// proportionalMemory is the process's memory, of which pages that it shares count in part.
func (b *runningBackend) proportionalMemory() (uint64, error) {
	rollup, err := b.proc.ProcSMapsRollup()
	return rollup.Pss, err
}

// processorTime is what the backend has used of the processors.
func (b *runningBackend) processorTime() (time.Duration, error) {
	stat, err := b.proc.Stat()
	return time.Duration(stat.CPUTime() * float64(time.Second)), err
}

// ownProcessorTime is what this process has used of the processors.
func ownProcessorTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
