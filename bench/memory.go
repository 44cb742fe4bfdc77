package main

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const (
	// overload is how many times its limit a cache is offered.
	overload = 4
	// longBytes is the least that a long panel's response takes: a float64 for each sample of 64 series.
	longBytes = 64 * 8 * int(longSpan/longStep)
)

// cacheMemory measures what a cache really takes when it is offered far more than it may keep.
func cacheMemory(_ context.Context, _ options, r *report.Report) error {
	const limit = 16 << 20
	group := r.Group("Memory of the cache after %d × its limit of %s, compared with the limit", overload, report.Size(limit))
	s := newTestbed(64, 0)
	defer s.close()
	client, err := s.client(limit)
	if err != nil {
		return err
	}
	if err := query(client, s.panel(numbered(longExpr, -1), longSpan, longStep)); err != nil {
		return err
	}
	for n := range overload * limit / longBytes {
		if err := query(client, s.panel(numbered(longExpr, n), longSpan, longStep)); err != nil {
			return err
		}
	}
	full := heap()
	client.Close()
	group.Compare("live heap that closing it frees", report.Size(full-heap()), report.Size(limit), report.AtMost(1.1))
	return nil
}

// heap is what is in use after a collection. Pools take two to be emptied.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// processMemory measures the built backend's memory: at rest, when its cache is offered too much, and while it passes a large
// download on.
func processMemory(ctx context.Context, o options, r *report.Report) error {
	b, err := startBackend(ctx, o.backend)
	if err != nil {
		return err
	}
	defer b.stop()
	server := httptest.NewServer(platform.New(platform.Config{}))
	defer server.Close()
	to := pluginContext(server.URL, true, nil)

	group := r.Group("Memory of the backend's process")
	if err := b.resource(ctx, to, "checkpoints/"+platform.LargeCheckpointID+"/content", io.Discard); err != nil {
		return err
	}
	peak, err := b.peakMemory()
	if err != nil {
		return err
	}
	group.Figure("peak, after a download of 1 GB", report.Size(peak), report.Goal{})

	var panels errgroup.Group
	panels.SetLimit(4)
	end := time.Now()
	for n := range overload * cacheLimit / longBytes {
		panels.Go(func() error {
			_, err := b.frames(ctx, to, rangeQuery(numbered(longExpr, n), end.Add(-longSpan), end, longStep))
			return err
		})
	}
	if err := panels.Wait(); err != nil {
		return err
	}
	kept, err := b.metric(ctx, "gpucloud_cache_bytes")
	if err != nil {
		return err
	}
	group.Compare(fmt.Sprintf("kept after %d × the cache's limit, compared with the limit", overload), report.Size(kept), report.Size(cacheLimit), report.AtMost(1.1))
	if peak, err = b.peakMemory(); err != nil {
		return err
	}
	group.Figure("peak by then", report.Size(peak), report.NoMore(report.Size(cacheLimit+120<<20)))
	return nil
}
