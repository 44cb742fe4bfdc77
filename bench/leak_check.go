package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

// leakCheck is what a process has besides memory: a leak shows in one or the other.
type leakCheck struct{ goroutines, files int }

var goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// leakCheck counts what the backend has now. It needs Linux.
func (b *runningBackend) leakCheck(ctx context.Context) (leakCheck, error) {
	metrics, err := b.Diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{})
	if err != nil {
		return leakCheck{}, err
	}
	found := goroutines.FindSubmatch(metrics.Metrics.Prometheus)
	if found == nil {
		return leakCheck{}, errors.New("the backend has no metric of its goroutines")
	}
	count, err := strconv.Atoi(string(found[1]))
	if err != nil {
		return leakCheck{}, err
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", b.pid))
	return leakCheck{count, len(files)}, err
}

// settle waits until the backend has no more than it had at rest, for as long as idle connections are kept at most.
func (b *runningBackend) settle(ctx context.Context, rest leakCheck) (leakCheck, error) {
	deadline := time.Now().Add(soakRest)
	for {
		now, err := b.leakCheck(ctx)
		if err != nil || now.goroutines <= rest.goroutines+strays && now.files <= rest.files+strays || time.Now().After(deadline) {
			return now, err
		}
		if !wait(ctx, time.Second) {
			return now, ctx.Err()
		}
	}
}

// frames answers a query.
func (b *runningBackend) frames(ctx context.Context, to *pluginv2.PluginContext, q backend.DataQuery) (data.Frames, error) {
	response, err := b.Data.QueryData(ctx, &pluginv2.QueryDataRequest{PluginContext: to, Queries: []*pluginv2.DataQuery{backend.ToProto().DataQuery(q)}})
	if err != nil {
		return nil, err
	}
	answer := response.Responses[q.RefID]
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return data.UnmarshalArrowFrames(answer.Frames)
}

// resource is the whole body of a resource's answer.
func (b *runningBackend) resource(ctx context.Context, to *pluginv2.PluginContext, request *pluginv2.CallResourceRequest) ([]byte, error) {
	stream, err := b.Resource.CallResource(ctx, &pluginv2.CallResourceRequest{PluginContext: to, Method: request.Method, Path: request.Path, Url: request.Url})
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	status := 0
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		status = max(status, int(part.Code))
		body.Write(part.Body)
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("%d: %.300s", status, body.Bytes())
	}
	return body.Bytes(), nil
}
