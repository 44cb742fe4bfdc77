package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/process"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// download measures the backend's peak memory while it passes a checkpoint of 1 GB on.
func download(ctx context.Context, w *tabwriter.Writer, clients process.Clients, pid int) error {
	server := httptest.NewServer(platform.New(platform.Config{}))
	defer server.Close()
	start := time.Now()
	size, err := receive(ctx, clients.Resource, server.URL)
	if err != nil {
		return err
	}
	peak, err := memoryOf(pid, peakMemory)
	row(w, fmt.Sprintf("peak, after a download of %s in %s", bytes(size), duration(time.Since(start))), bytes(peak))
	return err
}

func receive(ctx context.Context, resources pluginv2.ResourceClient, address string) (int, error) {
	settings, err := json.Marshal(map[string]string{"intelligenceUrl": address + platform.TuningPath})
	if err != nil {
		return 0, err
	}
	path := "checkpoints/" + platform.LargeCheckpointID + "/content"
	stream, err := resources.CallResource(ctx, &pluginv2.CallResourceRequest{
		Method: http.MethodGet, Path: path, Url: path,
		PluginContext: backend.ToProto().PluginContext(backend.PluginContext{
			Namespace: "default", PluginID: plugin.ID, User: &backend.User{Role: "Editor"},
			DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
				UID: "bench", Type: plugin.ID, JSONData: settings, Updated: time.Now(),
				DecryptedSecureJSONData: map[string]string{"inferenceApiKey": platform.DefaultInferenceAPIKey},
			},
		}),
	})
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

var (
	residentMemory = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
	peakMemory     = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)
)

// memoryOf reads a figure of a process's memory, in bytes. It needs Linux.
func memoryOf(pid int, figure *regexp.Regexp) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	found := figure.FindSubmatch(status)
	if found == nil {
		return 0, fmt.Errorf("no such figure for process %d", pid)
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	return kilobytes << 10, err
}
