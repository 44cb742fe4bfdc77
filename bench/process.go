package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	"github.com/prometheus/procfs"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/process"
)

// runningBackend is the built backend in a process of its own, as Grafana runs it.
type runningBackend struct {
	process.Clients
	proc procfs.Proc
	stop func()
}

// startBackend starts the built backend. What is measured of it needs Linux.
func startBackend(ctx context.Context, executable string) (*runningBackend, error) {
	ctx, cancel := context.WithCancel(ctx)
	started, err := process.Start(ctx, process.Config{Path: executable, GrafanaVersion: "12.4.0", Log: hclog.NewNullLogger()})
	if err != nil {
		cancel()
		return nil, err
	}
	b := &runningBackend{stop: func() {
		cancel()
		started.Wait()
	}}
	if b.proc, err = procfs.NewProc(started.PID()); err != nil {
		b.stop()
		return nil, err
	}
	if b.Clients, err = started.Clients(); err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

// pluginContext names a data source for a simulated platform, with changes of its settings, and who queries it.
func pluginContext(address string, cached bool, changes map[string]any) *pluginv2.PluginContext {
	return backend.ToProto().PluginContext(backend.PluginContext{
		Namespace: "default", PluginID: plugin.ID, User: &backend.User{Role: "Editor"},
		DataSourceInstanceSettings: datasourceSettings(address, cached, changes),
	})
}

// frames are the result of a query, once the process has marshaled them.
func (b *runningBackend) frames(ctx context.Context, to *pluginv2.PluginContext, q backend.DataQuery) (data.Frames, error) {
	response, err := b.Data.QueryData(ctx, &pluginv2.QueryDataRequest{PluginContext: to, Queries: []*pluginv2.DataQuery{backend.ToProto().DataQuery(q)}})
	if err != nil {
		return nil, err
	}
	result := response.Responses[q.RefID]
	if result.Error != "" {
		return nil, errors.New(result.Error)
	}
	return data.UnmarshalArrowFrames(result.Frames)
}

// resource copies the body of a resource's response; address is its path and query.
func (b *runningBackend) resource(ctx context.Context, to *pluginv2.PluginContext, address string, body io.Writer) error {
	path, _, _ := strings.Cut(address, "?")
	stream, err := b.Resource.CallResource(ctx, &pluginv2.CallResourceRequest{PluginContext: to, Method: http.MethodGet, Path: path, Url: address})
	if err != nil {
		return err
	}
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if part.Code != 0 && part.Code != http.StatusOK {
			return fmt.Errorf("%d: %.300s", part.Code, part.Body)
		}
		if _, err := body.Write(part.Body); err != nil {
			return err
		}
	}
}

// metric is a metric of the backend itself, which has no labels.
func (b *runningBackend) metric(ctx context.Context, name string) (int, error) {
	response, err := b.Diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{})
	if err != nil {
		return 0, err
	}
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(response.Metrics.Prometheus)
	if found == nil {
		return 0, fmt.Errorf("the backend has no metric %s", name)
	}
	value, err := strconv.ParseFloat(string(found[1]), 64)
	return int(value), err
}
