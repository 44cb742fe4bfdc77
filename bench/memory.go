package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"

	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/process"
)

// memoryAtRest starts the built backend as Grafana does, asks it one thing, and reads its resident memory.
func memoryAtRest(w *tabwriter.Writer, executable string) error {
	if executable == "" {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	backend, err := process.Start(ctx, process.Config{Path: executable, GrafanaVersion: "12.4.0", Log: hclog.NewNullLogger()})
	if err != nil {
		cancel()
		return err
	}
	defer backend.Wait()
	defer cancel()
	clients, err := backend.Clients()
	if err != nil {
		return err
	}
	if _, err := clients.Diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{}); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // until the runtime has settled
	resident, err := residentMemory(backend.PID())
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(w, "\nMemory of the backend at rest")
	row(w, "resident", bytes(resident))
	return nil
}

var vmRSS = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// residentMemory reads a process's resident memory in bytes. It needs Linux.
func residentMemory(pid int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	found := vmRSS.FindSubmatch(status)
	if found == nil {
		return 0, fmt.Errorf("no VmRSS for process %d", pid)
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	return kilobytes << 10, err
}
