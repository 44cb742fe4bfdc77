package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const (
	// everyService names probes to all services at once.
	everyService = "save & test"
	// pastSpan is how long the ranges in the past are whose results never change.
	pastSpan = 2 * time.Hour
	// wholePanels is how many live panels are compared over their whole range, newest the range that is compared of the others:
	// the truth of each step costs an evaluation.
	wholePanels = 3
	newest      = 15 * time.Minute
)

// probe is a request of a panel, a rule, an editor or a person.
type probe struct {
	service, name string
	send          func(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext, now time.Time) (result, error)
	// check compares a result with the truth at the time of the request: an [errWrong] says what differs, any other error why that
	// is not known. It is nil if the result is not compared.
	check func(ctx context.Context, got result, now time.Time) error
	// documented: the same result comes from what the platform's specification documents.
	documented bool
}

// result is what came back: frames, or the body of a resource.
type result struct {
	frames data.Frames
	body   []byte
}

// probes are all probes of the soak.
func (t *truth) probes(ctx context.Context) ([]probe, error) {
	documented, err := t.documentedProbes(ctx)
	if err != nil {
		return nil, err
	}
	for i := range documented {
		documented[i].documented = true
	}
	conventional, err := t.conventionalProbes(ctx)
	return append(documented, conventional...), err
}

// yesterday is a time whose samples don't change any more.
func yesterday() time.Time { return time.Now().UTC().Truncate(day).Add(-12 * time.Hour) }

func (t *truth) documentedProbes(ctx context.Context) ([]probe, error) {
	at := yesterday()
	job, err := t.finishedJob(ctx)
	if err != nil {
		return nil, err
	}
	checkpoints, err := t.checkpoints(ctx, job)
	if err != nil {
		return nil, err
	}
	probes := []probe{
		{
			service: platform.ServiceMetrics, name: "an instant query of yesterday",
			send:  sendQuery(before(at, map[string]any{"expr": "DCGM_FI_DEV_GPU_TEMP", "instant": true, "range": false})),
			check: once(func() (samples, error) { return t.vector(ctx, "DCGM_FI_DEV_GPU_TEMP", at) }),
		}, {
			service: platform.ServiceTuning, name: "checkpoints of a job",
			send:  sendQuery(before(at, map[string]any{"queryType": "fineTuningCheckpoints", "jobIds": []string{job}})),
			check: isTable(checkpoints, "job_id", "checkpoint_id", "created", "step", "train_loss", "valid_loss"),
		},
		// Capacities change from hour to hour.
		{service: platform.ServiceMain, name: "capacities", send: sendQuery(before(at, map[string]any{"queryType": "capacities"}))},
		t.labelValues("gpu", "DCGM_FI_DEV_GPU_UTIL"),
		t.rangeResource(ctx, "avg(DCGM_FI_DEV_GPU_UTIL)", at),
		{service: everyService, name: "save & test", send: checkHealth},
	}
	for i, expr := range wallPanels {
		saved := map[string]any{"expr": expr, "range": true, "interval": "60s"}
		probes = append(probes, probe{
			service: platform.ServiceMetrics, name: expr + " of yesterday", send: sendQuery(before(at, saved)),
			check: once(func() (samples, error) { return t.matrix(ctx, expr, at.Add(-pastSpan), at, wallStep) }),
		}, probe{
			service: platform.ServiceMetrics, name: expr,
			send:  sendQuery(func(now time.Time) backend.DataQuery { return savedQuery(saved, now.Add(-wallSpan), now) }),
			check: t.isLive(expr, i < wholePanels),
		})
	}
	return probes, nil
}

func (t *truth) conventionalProbes(ctx context.Context) ([]probe, error) {
	job, err := t.finishedJob(ctx)
	if err != nil {
		return nil, err
	}
	curves, err1 := t.curves(ctx, job)
	events, err2 := t.events(ctx, job)
	files, err3 := t.files(ctx)
	instances, err4 := t.instances(ctx)
	month := func(saved map[string]any) func(time.Time) backend.DataQuery {
		return func(now time.Time) backend.DataQuery { return savedQuery(saved, now.Add(-30*day), now) }
	}
	ofJob := func(queryType string, more ...string) map[string]any {
		saved := map[string]any{"queryType": queryType, "jobIds": []string{job}}
		for i := 0; i < len(more); i += 2 {
			saved[more[i]] = more[i+1]
		}
		return saved
	}
	return []probe{
		{
			service: platform.ServiceTuning, name: "curves of a job", send: sendQuery(month(ofJob("fineTuningCurves", "xAxis", "step"))),
			check: func(_ context.Context, got result, _ time.Time) error { return compareCurves(got.frames, curves) },
		}, {
			service: platform.ServiceTuning, name: "events of a job", send: sendQuery(month(ofJob("fineTuningEvents"))),
			check: isTable(events, "job_id", "timestamp", "body"),
		}, {
			service: platform.ServiceTuning, name: "training files", send: sendQuery(month(map[string]any{"queryType": "trainingFiles"})),
			check: isTable(files, "file_id", "created", "filename", "purpose", "bytes"),
		},
		// The states of jobs change while they are read.
		{service: platform.ServiceTuning, name: "all jobs", send: sendQuery(month(map[string]any{"queryType": "fineTuningJobs"}))},
		{service: platform.ServiceTuning, name: "annotations", send: sendQuery(month(map[string]any{"queryType": "fineTuningAnnotations"}))},
		{
			// Their states change, too: nodes are drained and come back.
			service: platform.ServiceMain, name: "names of instances", send: sendQuery(month(map[string]any{
				"queryType": "platform", "path": "/v1/compute/vms/instances", "columns": []map[string]string{{"selector": "name"}, {"selector": "location"}},
			})),
			check: isTable(instances, "name", "location"),
		},
	}, errors.Join(err1, err2, err3, err4)
}

// before is a query whose range ends at a time.
func before(at time.Time, saved map[string]any) func(time.Time) backend.DataQuery {
	return func(time.Time) backend.DataQuery { return savedQuery(saved, at.Add(-pastSpan), at) }
}

func sendQuery(query func(time.Time) backend.DataQuery) func(context.Context, *runningBackend, *pluginv2.PluginContext, time.Time) (result, error) {
	return func(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext, now time.Time) (result, error) {
		frames, err := b.frames(ctx, to, query(now))
		return result{frames: frames}, err
	}
}

func sendResource(path string, params url.Values) func(context.Context, *runningBackend, *pluginv2.PluginContext, time.Time) (result, error) {
	return func(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext, _ time.Time) (result, error) {
		var body bytes.Buffer
		err := b.resource(ctx, to, path+"?"+params.Encode(), &body)
		return result{body: body.Bytes()}, err
	}
}

func checkHealth(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext, _ time.Time) (result, error) {
	got, err := b.Diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{PluginContext: to})
	if err == nil && got.Status != pluginv2.CheckHealthResponse_OK {
		err = errors.New(got.Message)
	}
	return result{}, err
}

// once compares series with a truth that doesn't change, which is read at once.
func once(read func() (samples, error)) func(context.Context, result, time.Time) error {
	want, unknown := read()
	return func(_ context.Context, got result, _ time.Time) error {
		shown, err := samplesOf(got.frames)
		if err := errors.Join(unknown, err); err != nil {
			return err
		}
		return want.compare(shown)
	}
}

// isLive compares a panel that ends now with the truth up to its newest step: its whole range, or its newest minutes.
func (t *truth) isLive(expr string, whole bool) func(context.Context, result, time.Time) error {
	return func(ctx context.Context, got result, now time.Time) error {
		shown, err := samplesOf(got.frames)
		if err != nil {
			return err
		}
		from, to := now.Add(-wallSpan).Truncate(wallStep), now.Truncate(wallStep)
		if !whole {
			from = to.Add(-newest)
			shown = shown.since(from)
		}
		want, err := t.matrix(ctx, expr, from, to, wallStep)
		if err != nil {
			return err
		}
		return want.compare(shown)
	}
}

// isTable compares columns of a table with rows that don't change.
func isTable(want []string, columns ...string) func(context.Context, result, time.Time) error {
	return func(_ context.Context, got result, _ time.Time) error {
		rows, err := rowsOf(got.frames, columns...)
		if err != nil {
			return fmt.Errorf("%w: %w", errWrong, err)
		}
		return compareRows(rows, want)
	}
}

// labelValues is a probe to the Prometheus API that the data source is.
func (t *truth) labelValues(label, metric string) probe {
	return probe{
		service: platform.ServiceMetrics, name: "values of " + label,
		send: sendResource("api/v1/label/"+label+"/values", url.Values{"match[]": {metric}}),
		check: func(ctx context.Context, got result, now time.Time) error {
			var shown struct{ Data []string }
			if err := json.Unmarshal(got.body, &shown); err != nil {
				return fmt.Errorf("%w: %w", errWrong, err)
			}
			series, err := t.vector(ctx, "group by ("+label+") ("+metric+")", now)
			if err != nil {
				return err
			}
			var want []string
			for key := range series {
				var labels map[string]string
				_ = json.Unmarshal([]byte(key), &labels)
				want = append(want, labels[label])
			}
			slices.Sort(want)
			slices.Sort(shown.Data)
			return compareRows(shown.Data, want)
		},
	}
}

// rangeResource is a probe to the same API.
func (t *truth) rangeResource(ctx context.Context, expr string, end time.Time) probe {
	want, unknown := t.matrix(ctx, expr, end.Add(-pastSpan), end, time.Minute)
	return probe{
		service: platform.ServiceMetrics, name: "a range query of the Prometheus API",
		send: sendResource("api/v1/query_range", url.Values{
			"query": {expr}, "step": {"60s"}, "start": {end.Add(-pastSpan).Format(time.RFC3339)}, "end": {end.Format(time.RFC3339)},
		}),
		check: func(_ context.Context, got result, _ time.Time) error {
			var shown promResponse
			if err := json.Unmarshal(got.body, &shown); err != nil {
				return fmt.Errorf("%w: %w", errWrong, err)
			}
			if unknown != nil {
				return unknown
			}
			return want.compare(shown.samples())
		},
	}
}

// partial reports whether frames say that they are not whole.
func partial(frames data.Frames) bool {
	for _, frame := range frames {
		if frame.Meta != nil && slices.ContainsFunc(frame.Meta.Notices, func(n data.Notice) bool { return n.Severity >= data.NoticeSeverityWarning }) {
			return true
		}
	}
	return false
}
