package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const (
	// everyService names probes to all services at once.
	everyService = "save & test"
	// pastSpan is how long the ranges in the past are whose answers never change.
	pastSpan = 2 * time.Hour
	// unsettled is how young samples are that may still change: a minute more than the recent window.
	unsettled = recentWindow + time.Minute
	// comparedPanels is how many live panels are compared. The truth of each costs an evaluation.
	comparedPanels = 3
)

// probe is a request of a panel, a rule, an editor or a person.
type probe struct {
	service, name string
	send          func(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext, now time.Time) (reply, error)
	// expected is the digest of the right result; nil if the result is not compared.
	expected func(now time.Time) ([32]byte, error)
	// documented: the same result comes from what the platform's specification documents.
	documented bool
}

// reply is a result, of which only the digest is stored.
type reply struct {
	digest [32]byte
	// isPartial: a warning says that the result is not complete.
	isPartial bool
}

// baseline runs probes undisturbed: a data source in this process, without a cache, on a platform that never fails.
type baseline struct {
	server *httptest.Server
	ds     *plugin.Datasource
}

func newBaseline() (*baseline, error) {
	server := httptest.NewServer(platform.New(platform.Config{}))
	ds, err := newDatasource(server.URL, false)
	if err != nil {
		server.Close()
		return nil, err
	}
	return &baseline{server, ds}, nil
}

func (t *baseline) close() {
	t.ds.Dispose()
	t.server.Close()
}

// probes are all probes of the soak.
func (t *baseline) probes() ([]probe, error) {
	job, err := t.finishedJob()
	if err != nil {
		return nil, err
	}
	yesterday := time.Now().UTC().Truncate(day).Add(-12 * time.Hour)
	at := func(saved map[string]any) func(time.Time) backend.DataQuery {
		return func(time.Time) backend.DataQuery { return savedQuery(saved, yesterday.Add(-pastSpan), yesterday) }
	}
	month := func(saved map[string]any) func(time.Time) backend.DataQuery {
		return func(now time.Time) backend.DataQuery { return savedQuery(saved, now.Add(-30*day), now) }
	}
	documented := []probe{
		t.fixed(platform.ServiceMetrics, "an instant query of yesterday", at(map[string]any{"expr": "DCGM_FI_DEV_GPU_TEMP", "instant": true, "range": false})),
		t.fixed(platform.ServiceTuning, "checkpoints of a job", at(map[string]any{"queryType": "fineTuningCheckpoints", "jobIds": []string{job}})),
		// Capacities change from hour to hour.
		t.loose(platform.ServiceMain, "capacities", at(map[string]any{"queryType": "capacities"})),
		t.resource(platform.ServiceMetrics, "api/v1/label/gpu/values", url.Values{"match[]": {"DCGM_FI_DEV_GPU_UTIL"}}),
		t.resource(platform.ServiceMetrics, "api/v1/query_range", url.Values{
			"query": {"avg(DCGM_FI_DEV_GPU_UTIL)"}, "step": {"60s"},
			"start": {yesterday.Add(-pastSpan).Format(time.RFC3339)}, "end": {yesterday.Format(time.RFC3339)},
		}),
		{service: everyService, name: "save & test", send: checkHealth},
	}
	conventional := []probe{
		t.fixed(platform.ServiceTuning, "curves of a job", month(map[string]any{"queryType": "fineTuningCurves", "jobIds": []string{job}, "xAxis": "step"})),
		t.fixed(platform.ServiceTuning, "events of a job", month(map[string]any{"queryType": "fineTuningEvents", "jobIds": []string{job}})),
		t.fixed(platform.ServiceTuning, "training files", at(map[string]any{"queryType": "trainingFiles"})),
		t.loose(platform.ServiceTuning, "all jobs", month(map[string]any{"queryType": "fineTuningJobs"})),
		t.loose(platform.ServiceTuning, "annotations", month(map[string]any{"queryType": "fineTuningAnnotations"})),
		// Their states move: nodes are drained and come back.
		t.fixed(platform.ServiceMain, "names of instances", at(map[string]any{
			"queryType": "platform", "path": "/v1/compute/vms/instances", "columns": []map[string]string{{"selector": "name"}, {"selector": "location"}},
		})),
	}
	for i, expr := range wallPanels {
		saved := map[string]any{"expr": expr, "range": true, "interval": "60s"}
		live := func(now time.Time) backend.DataQuery { return savedQuery(saved, now.Add(-wallSpan), now) }
		documented = append(documented, t.fixed(platform.ServiceMetrics, expr+" of yesterday", at(saved)))
		if i < comparedPanels {
			documented = append(documented, t.live(expr, live))
		} else {
			documented = append(documented, t.loose(platform.ServiceMetrics, expr, live))
		}
	}
	for i := range documented {
		documented[i].documented = true
	}
	return append(documented, conventional...), nil
}

// fixed is a probe whose response is always the same.
func (t *baseline) fixed(service, name string, query func(time.Time) backend.DataQuery) probe {
	q := t.loose(service, name, query)
	var known [32]byte
	frames, err := frames(t.ds, query(time.Now()))
	if err == nil {
		known = digest(frames, time.Time{})
	}
	q.expected = func(time.Time) ([32]byte, error) { return known, err }
	return q
}

// live is a panel that ends now. Its settled part is compared with the truth.
func (t *baseline) live(expr string, query func(time.Time) backend.DataQuery) probe {
	return probe{
		service: platform.ServiceMetrics, name: expr,
		send: sendQuery(query, func(now time.Time) time.Time { return now.Add(-unsettled) }),
		expected: func(now time.Time) ([32]byte, error) {
			frames, err := frames(t.ds, query(now))
			return digest(frames, now.Add(-unsettled)), err
		},
	}
}

// loose is a probe whose response is not compared.
func (t *baseline) loose(service, name string, query func(time.Time) backend.DataQuery) probe {
	return probe{service: service, name: name, send: sendQuery(query, func(time.Time) time.Time { return time.Time{} })}
}

func sendQuery(query func(time.Time) backend.DataQuery, until func(time.Time) time.Time) func(context.Context, *runningBackend, *pluginv2.PluginContext, time.Time) (reply, error) {
	return func(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext, now time.Time) (reply, error) {
		result, err := b.frames(ctx, to, query(now))
		return reply{digest(result, until(now)), partial(result)}, err
	}
}

// resource is a probe to the Prometheus API that the data source is.
func (t *baseline) resource(service, path string, params url.Values) probe {
	address := path + "?" + params.Encode()
	var known [32]byte
	err := t.ds.CallResource(context.Background(), &backend.CallResourceRequest{Method: http.MethodGet, Path: path, URL: address},
		backend.CallResourceResponseSenderFunc(func(part *backend.CallResourceResponse) error {
			known = sha256.Sum256(part.Body)
			return nil
		}))
	return probe{
		service: service, name: path,
		send: func(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext, _ time.Time) (reply, error) {
			var body bytes.Buffer
			err := b.resource(ctx, to, address, &body)
			return reply{digest: sha256.Sum256(body.Bytes())}, err
		},
		expected: func(time.Time) ([32]byte, error) { return known, err },
	}
}

func checkHealth(ctx context.Context, b *runningBackend, to *pluginv2.PluginContext, _ time.Time) (reply, error) {
	got, err := b.Diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{PluginContext: to})
	if err == nil && got.Status != pluginv2.CheckHealthResponse_OK {
		err = errors.New(got.Message)
	}
	return reply{}, err
}

// finishedJob is the id of a job that nothing happens to any more.
func (t *baseline) finishedJob() (string, error) {
	frames, err := frames(t.ds, savedQuery(map[string]any{"queryType": "fineTuningJobs", "statuses": []string{"succeeded"}}, time.Now().Add(-30*day), time.Now()))
	if err != nil {
		return "", err
	}
	ids, _ := frames[0].FieldByName("job_id")
	if ids == nil || ids.Len() == 0 {
		return "", errors.New("the platform has no finished job")
	}
	id, _ := ids.ConcreteAt(ids.Len() - 1)
	return fmt.Sprint(id), nil
}

// digest sums up what frames show: names, labels and values, but no meta. With a time set, rows after it don't count, and
// neither do series that have no others. The order of frames doesn't count: an engine gives the series of an instant query none.
func digest(frames data.Frames, until time.Time) [32]byte {
	var sums []string
	for _, frame := range frames {
		rows := rowsUntil(frame, until)
		if rows == 0 && !until.IsZero() {
			continue
		}
		hash := sha256.New()
		for _, field := range frame.Fields {
			_, _ = fmt.Fprintln(hash, field.Name, field.Labels.String(), field.Type())
			for i := range rows {
				value, _ := field.ConcreteAt(i)
				writeValue(hash, value)
			}
		}
		sums = append(sums, string(hash.Sum(nil)))
	}
	slices.Sort(sums)
	return sha256.Sum256([]byte(strings.Join(sums, "")))
}

func writeValue(to io.Writer, value any) {
	if t, ok := value.(time.Time); ok {
		value = t.UnixNano() // the same moment, whatever its location
	}
	_, _ = fmt.Fprintf(to, "%v\n", value)
}

// rowsUntil is how many rows a frame has up to a time; all of them if it is zero.
func rowsUntil(frame *data.Frame, until time.Time) int {
	if until.IsZero() || len(frame.Fields) == 0 {
		return frame.Rows()
	}
	for i := range frame.Rows() {
		if t, ok := frame.Fields[0].At(i).(time.Time); ok && t.After(until) {
			return i
		}
	}
	return frame.Rows()
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
