package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const (
	// programSize is the goal of the built backend's size, programRest that of its memory at rest, programStart that of the time
	// from its start to its first response, programBuild that of a build of it with an empty build cache.
	programSize  = 42 << 20
	programRest  = 35 << 20
	programStart = 300 * time.Millisecond
	programBuild = 90 * time.Second
	// settling is how long the Go runtime may take to give memory of the start back.
	settling = 2 * time.Second
)

// program measures the built backend itself: its size, how long it takes from its start to the first response to a query, and its
// memory at rest afterwards.
func program(ctx context.Context, o options, r *report.Report) error {
	file, err := os.Stat(o.backend)
	if err != nil {
		return err
	}
	server := httptest.NewServer(platform.New(platform.Config{}))
	defer server.Close()
	var starts []time.Duration
	var rss, pss []uint64
	for range o.rounds {
		started := time.Now()
		b, err := startBackend(ctx, o.backend)
		if err != nil {
			return err
		}
		_, err = b.frames(ctx, pluginContext(server.URL, true, nil), savedQuery(map[string]any{"expr": "up", "instant": true}, now, now))
		starts = append(starts, time.Since(started))
		time.Sleep(settling)
		resident, err1 := b.residentMemory()
		proportional, err2 := b.proportionalMemory()
		b.stop()
		for _, err := range []error{err, err1, err2} {
			if err != nil {
				return err
			}
		}
		rss, pss = append(rss, resident), append(pss, proportional)
	}
	group := r.Group("The backend's program; medians of %d", o.rounds)
	group.Figure("its size", report.Size(file.Size()), report.NoMore(report.Size(programSize)))
	group.Figure("from its start to the first response", report.Took(timing.Median(starts)), report.NoMore(report.Took(programStart)))
	group.Figure("resident memory at rest", report.Size(timing.Median(rss)), report.NoMore(report.Size(programRest)))
	group.Figure("  proportional", report.Size(timing.Median(pss)), report.Goal{})
	return nil
}

// buildProgram measures how long the backend takes to build with an empty build cache. Its modules are downloaded before.
func buildProgram(ctx context.Context, _ options, r *report.Report) error {
	folder, err := os.MkdirTemp("", "bench-build-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	download := exec.CommandContext(ctx, "go", "list", "-deps", "./pkg")
	if output, err := download.CombinedOutput(); err != nil {
		return fmt.Errorf("go list: %s", output)
	}
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", filepath.Join(folder, "backend"), "./pkg") //nolint:gosec // fixed
	build.Env = append(os.Environ(), "GOCACHE="+filepath.Join(folder, "cache"))
	took, err := timing.Of(func() error {
		output, err := build.CombinedOutput()
		if err != nil {
			return fmt.Errorf("go build: %s", output)
		}
		return nil
	})
	if err != nil {
		return err
	}
	group := r.Group("Building the backend with an empty build cache, once")
	group.Figure("elapsed", report.Took(took), report.NoMore(report.Took(programBuild)))
	processors := build.ProcessState.UserTime() + build.ProcessState.SystemTime()
	group.Figure("of the processors", report.Took(processors), report.Goal{})
	return nil
}
