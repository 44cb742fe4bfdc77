package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// bomb is a response that is small on the wire and huge when it is decompressed.
type bomb struct {
	name string
	// packed is the compressed body.
	packed func() string
}

// fault is the fault that responds with the bomb.
func (b bomb) fault() platform.Fault {
	return platform.Fault{Status: http.StatusOK, Headers: map[string]string{"Content-Encoding": "gzip"}, Body: b.packed()}
}

// bombSize is what each unpacks to.
const bombSize = 1 << 30

var (
	whiteSpace = bomb{"of white space", packed("", " ", "")}
	oneText    = bomb{"of one text", packed(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"`, "a", `"},"values":[]}]}}`)}
	manySeries = bomb{"of series", packed(`{"status":"success","data":{"resultType":"matrix","result":[`, `{"metric":{"gpu":"0"},"values":[[1750000000,"1"]]},`, `]}}`)}
	manyPoints = bomb{"of points", packed(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[`, `[1750000000,"1"],`, `]}]}}`)}
	manyItems  = bomb{"of items", packed(`{"items":[`, `{"type":"a","location":"b","quantity":1},`, `]}`)}
	manyJobs   = bomb{"of jobs", packed(`{"object":"list","data":[`, `{"id":"a","status":"succeeded"},`, `]}`)}
)

// packed is a head, as many middles as a bomb takes, and an end.
func packed(head, middle, end string) func() string {
	return sync.OnceValue(func() string {
		var to strings.Builder
		zip, _ := gzip.NewWriterLevel(&to, gzip.BestSpeed)
		_, _ = zip.Write([]byte(head))
		block := []byte(strings.Repeat(middle, 1<<20/len(middle)))
		for written := 0; written < bombSize; written += len(block) {
			_, _ = zip.Write(block)
		}
		_, _ = zip.Write([]byte(end))
		_ = zip.Close()
		return to.String()
	})
}

const (
	// bombLimit is the largest response that a data source reads by default, and bombRoom what reading it may cost beside.
	bombLimit = 256 << 20
	bombRoom  = 20 << 20
	// crowd is the number of queries at a time to a platform that hangs, and crowdTimeout the data source's timeout in seconds.
	crowd        = 500
	crowdTimeout = 5
	crowdMemory  = 250 << 20
	// grace is what a response may take beside the timeout.
	grace = time.Second
)

// gzipBombs measures what responses cost that are far over the limit, for each kind of request in a process of its own.
func gzipBombs(ctx context.Context, o options, r *report.Report) error {
	group := r.Group("Responses of %s, packed, where %s are allowed: what the backend's memory grows by", report.Size(bombSize), report.Size(bombLimit))
	for _, target := range bombTargets {
		for _, bomb := range target.bombs {
			grown, err := bombed(ctx, o.backend, target, bomb)
			if err != nil {
				return fmt.Errorf("a bomb %s at a %s: %w", bomb.name, target.name, err)
			}
			group.Figure(fmt.Sprintf("%s, a bomb %s", target.name, bomb.name), report.Size(grown), report.NoMore(report.Size(bombLimit+bombRoom)))
		}
	}
	return nil
}

// bombTarget is a kind of request whose responses are decoded in a way of their own.
type bombTarget struct {
	name string
	send func(context.Context, *runningBackend, *pluginv2.PluginContext) error
	// bombs are those that get furthest here.
	bombs []bomb
}

var bombTargets = []bombTarget{
	{"PromQL query", sendsQuery(map[string]any{"expr": "up"}), []bomb{whiteSpace, oneText, manySeries, manyPoints}},
	{"Prometheus API", func(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext) error {
		return b.resource(ctx, to, "api/v1/labels", io.Discard)
	}, []bomb{manySeries}},
	{"fine-tuning query", sendsQuery(map[string]any{"queryType": "fineTuningJobs"}), []bomb{manyJobs}},
	{"main API query", sendsQuery(map[string]any{"queryType": "capacities"}), []bomb{manyItems}},
}

func sendsQuery(saved map[string]any) func(context.Context, *runningBackend, *pluginv2.PluginContext) error {
	return func(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext) error {
		_, err := b.frames(ctx, to, savedQuery(saved, time.Now().Add(-time.Hour), time.Now()))
		return err
	}
}

// bombed is the growth of a process at its peak by the response to one request.
func bombed(ctx context.Context, backend string, target bombTarget, bomb bomb) (uint64, error) {
	b, err := startBackend(ctx, backend)
	if err != nil {
		return 0, err
	}
	defer b.stop()
	simulated := platform.New(platform.Config{Nodes: 1})
	simulated.Inject(bomb.fault())
	server := httptest.NewServer(simulated)
	defer server.Close()
	nowhere := pluginContext("", false, nil)
	_ = target.send(ctx, b, nowhere) // the first request of a process costs more than the others
	before, err := b.peakMemory()
	if err != nil {
		return 0, err
	}
	to := pluginContext(server.URL, false, nil)
	to.DataSourceInstanceSettings.LastUpdatedMS++ // saved anew
	if err := target.send(ctx, b, to); err == nil || simulated.Counters().Count("", "", -1) == 0 {
		return 0, fmt.Errorf("it did not end in an error of its own: %w", err)
	}
	after, err := b.peakMemory()
	return after - before, err
}

// hangingPlatform measures how long a crowd waits for a platform that never responds, and what it costs.
func hangingPlatform(ctx context.Context, o options, r *report.Report) error {
	b, err := startBackend(ctx, o.backend)
	if err != nil {
		return err
	}
	defer b.stop()
	simulated := platform.New(platform.Config{})
	simulated.Inject(platform.Fault{Kind: platform.FaultHang})
	server := httptest.NewServer(simulated)
	defer server.Close()
	defer simulated.ClearFaults()
	to := pluginContext(server.URL, true, map[string]any{"timeout": crowdTimeout})

	var all sync.WaitGroup
	times := make([]time.Duration, crowd)
	var succeeded atomic.Int64
	for i := range crowd {
		all.Go(func() {
			start := time.Now()
			if _, err := b.frames(ctx, to, savedQuery(map[string]any{"expr": fmt.Sprintf("up + %d", i)}, start.Add(-time.Hour), start)); err == nil {
				succeeded.Add(1)
			}
			times[i] = time.Since(start)
		})
	}
	all.Wait()
	if n := succeeded.Load(); n > 0 {
		return fmt.Errorf("%d queries to a platform that hangs succeeded", n)
	}
	peak, err := b.peakMemory()
	if err != nil {
		return err
	}
	timeout := crowdTimeout * time.Second
	group := r.Group("%d different queries at a time to a platform that hangs, with a timeout of %s", crowd, short(timeout))
	group.Figure("error, p50", report.Took(timing.Median(times)), report.Goal{})
	group.Figure("last error", report.Took(slices.Max(times)), report.NoMore(report.Took(timeout+grace)))
	group.Figure("requests that the platform got", report.Number(simulated.Counters().Count(platform.ServiceMetrics, "", -1)), report.Goal{})
	group.Figure("the backend's memory, peak", report.Size(peak), report.NoMore(report.Size(crowdMemory)))
	return nil
}
