package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/process"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// runningBackend is the built backend in a process of its own, as Grafana runs it.
type runningBackend struct {
	process.Clients
	pid  int
	stop func()
}

func startBackend(ctx context.Context, executable string) (*runningBackend, error) {
	ctx, cancel := context.WithCancel(ctx)
	started, err := process.Start(ctx, process.Config{Path: executable, GrafanaVersion: "12.4.0", Log: hclog.NewNullLogger()})
	if err != nil {
		cancel()
		return nil, err
	}
	b := &runningBackend{pid: started.PID(), stop: func() {
		cancel()
		started.Wait()
	}}
	if b.Clients, err = started.Clients(); err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

// pluginContext names a data source for a simulated platform, and who asks.
func pluginContext(address string, cache cacheSetting) *pluginv2.PluginContext {
	return pluginContextWith(address, cache, nil)
}

// pluginContextWith is the same for a data source with some settings of its own.
func pluginContextWith(address string, cache cacheSetting, changes map[string]any) *pluginv2.PluginContext {
	return backend.ToProto().PluginContext(backend.PluginContext{
		Namespace: "default", PluginID: plugin.ID, User: &backend.User{Role: "Editor"},
		DataSourceInstanceSettings: datasourceSettings(address, cache, changes),
	})
}

// ask answers a query; the frames come back marshalled.
func (b *runningBackend) ask(ctx context.Context, to *pluginv2.PluginContext, q backend.DataQuery) error {
	response, err := b.Data.QueryData(ctx, &pluginv2.QueryDataRequest{
		PluginContext: to,
		Queries: []*pluginv2.DataQuery{{
			RefId: q.RefID, Json: q.JSON, MaxDataPoints: q.MaxDataPoints, IntervalMS: q.Interval.Milliseconds(),
			TimeRange: &pluginv2.TimeRange{FromEpochMS: q.TimeRange.From.UnixMilli(), ToEpochMS: q.TimeRange.To.UnixMilli()},
		}},
	})
	if err != nil {
		return err
	}
	if failure := response.Responses[q.RefID].Error; failure != "" {
		return errors.New(failure)
	}
	return nil
}

// download receives a checkpoint of 1 GB and returns how much that was.
func (b *runningBackend) download(ctx context.Context, to *pluginv2.PluginContext) (int, error) {
	path := "checkpoints/" + platform.LargeCheckpointID + "/content"
	stream, err := b.Resource.CallResource(ctx, &pluginv2.CallResourceRequest{PluginContext: to, Method: http.MethodGet, Path: path, Url: path})
	if err != nil {
		return 0, err
	}
	size := 0
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if err != nil {
			return size, err
		}
		if part.Code != 0 && part.Code != http.StatusOK {
			return size, fmt.Errorf("the download was answered with %d: %s", part.Code, part.Body)
		}
		size += len(part.Body)
	}
}

var cacheBytes = regexp.MustCompile(`(?m)^gpucloud_cache_bytes (\S+)$`)

// keptBytes is the backend's own metric of what its caches hold.
func (b *runningBackend) keptBytes(ctx context.Context) (int, error) {
	response, err := b.Diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{})
	if err != nil {
		return 0, err
	}
	found := cacheBytes.FindSubmatch(response.Metrics.Prometheus)
	if found == nil {
		return 0, errors.New("the backend has no metric of its cache's size")
	}
	kept, err := strconv.ParseFloat(string(found[1]), 64)
	return int(kept), err
}

var (
	residentMemory = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
	peakMemory     = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)
)

// memory reads a figure of the process's memory, in bytes. It needs Linux.
func (b *runningBackend) memory(figure *regexp.Regexp) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.pid))
	if err != nil {
		return 0, err
	}
	found := figure.FindSubmatch(status)
	if found == nil {
		return 0, fmt.Errorf("no such figure for process %d", b.pid)
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	return kilobytes << 10, err
}
