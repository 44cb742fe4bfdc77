package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"

	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/process"
)

// memory starts the built backend as Grafana does and measures its memory: at rest, and while it passes a download on.
func memory(w *tabwriter.Writer, executable string) error {
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
	resident, err := memoryOf(backend.PID(), residentMemory)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(w, "\nMemory of the backend's process")
	row(w, "at rest", bytes(resident))
	return download(ctx, w, clients, backend.PID())
}
