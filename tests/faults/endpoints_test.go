package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

// endpoint is a way to send a request to a service.
type endpoint struct {
	service, name string
	call          func(context.Context, *plugin.Datasource) outcome
}

// The names of services, in the order of testdata/messages.txt.
const (
	metricsService = "Metrics"
	tuningService  = "Fine-tuning"
	mainService    = "Main API"
)

// The endpoints, one of each way through the backend. Variables of metrics and fine-tuning use resources, those of the main API use queries.
var endpoints = []endpoint{
	{metricsService, "query", query(values{"expr": `DCGM_FI_DEV_GPU_UTIL{gpu=~"0|` + inQuery + `"}`})},
	{metricsService, "variable", resource("api/v1/label/gpu/values", url.Values{"match[]": {`DCGM_FI_DEV_GPU_UTIL{gpu!="` + inQuery + `"}`}})},
	{metricsService, "resource", resource("api/v1/query_range", url.Values{"query": {`DCGM_FI_DEV_GPU_UTIL{gpu!="` + inQuery + `"}`}, "step": {"60s"}})},
	{metricsService, "health", health(metricsService)},

	{tuningService, "query", query(values{"queryType": "fineTuningCheckpoints", "jobIds": []string{"$job"}})},
	{tuningService, "annotation", query(values{"queryType": "fineTuningAnnotations", "show": []string{"jobs"}, "statuses": []string{"succeeded", "failed"}})},
	{tuningService, "variable", resource("models", nil)},
	{tuningService, "download", resource("checkpoints/$checkpoint/content", nil)},
	{tuningService, "health", health(tuningService)},

	{mainService, "query", query(values{"queryType": "capacities", "locations": []string{inQuery}})},
	{mainService, "annotation", query(values{"queryType": "platform", "path": "/v1/compute/vms/instances", "timeColumn": "created_at",
		"params": []values{{"name": "note", "value": inQuery}}})},
	{mainService, "health", health(mainService)},
}

// outcome is the result of a call of an endpoint.
type outcome struct {
	// failed is true for an error, and text is its message.
	failed bool
	text   string
	status int
	source backend.ErrorSource
	// complete is the whole output of the backend: frames, meta, notices, bodies.
	complete string
}

// cutOff reports an error after the header of the response was sent, so that there is no message.
func (a outcome) cutOff() bool { return a.failed && a.status == http.StatusOK }

// state is the cell of the table.
func (a outcome) state() string {
	switch {
	case !a.failed:
		return "complete"
	case a.cutOff():
		return "cut off"
	case a.source != "":
		return fmt.Sprintf("%d · %s", a.status, a.source)
	case a.status != 0:
		return strconv.Itoa(a.status)
	}
	return "error"
}

var user = &backend.User{Login: userLogin, Name: userLogin, Email: userEmail, Role: "Editor"}

func asUser(ctx context.Context) context.Context {
	return backend.WithPluginContext(ctx, backend.PluginContext{User: user})
}

// query runs one query over [span].
func query(saved values) func(context.Context, *plugin.Datasource) outcome {
	return func(ctx context.Context, ds *plugin.Datasource) outcome {
		encoded, err := json.Marshal(saved)
		if err != nil {
			panic(err)
		}
		text := strings.ReplaceAll(string(encoded), "$job", job())
		response, err := ds.QueryData(asUser(ctx), &backend.QueryDataRequest{
			PluginContext: backend.PluginContext{User: user}, Headers: userHeaders,
			Queries: []backend.DataQuery{{RefID: "A", JSON: []byte(text), TimeRange: span, Interval: time.Minute, MaxDataPoints: 500}},
		})
		if err != nil {
			return outcome{failed: true, text: "the request failed: " + err.Error(), complete: err.Error()}
		}
		got := response.Responses["A"]
		complete, err := json.Marshal(got)
		if err != nil {
			return outcome{failed: true, text: "the response can't be sent: " + err.Error()}
		}
		a := outcome{status: int(got.Status), source: got.ErrorSource, complete: string(complete)}
		if got.Error != nil {
			a.failed, a.text = true, got.Error.Error()
		}
		if got.Error != nil && len(got.Frames) > 0 {
			a.text += " (WITH FRAMES)"
		}
		return a
	}
}

// resource gets a resource.
func resource(path string, params url.Values) func(context.Context, *plugin.Datasource) outcome {
	return func(ctx context.Context, ds *plugin.Datasource) outcome {
		path := path
		if strings.Contains(path, "$checkpoint") {
			path = strings.ReplaceAll(path, "$checkpoint", checkpoint())
		}
		all := url.Values{"start": {span.From.Format(time.RFC3339)}, "end": {span.To.Format(time.RFC3339)}}
		maps.Copy(all, params)
		var a outcome
		var complete strings.Builder
		err := ds.CallResource(asUser(ctx), &backend.CallResourceRequest{
			PluginContext: backend.PluginContext{User: user}, Method: http.MethodGet, Path: path, URL: path + "?" + all.Encode(), Headers: asResourceHeaders(),
		}, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
			if r.Status != 0 {
				a.status = r.Status
			}
			for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
				fmt.Fprintln(&complete, name, r.Headers[name])
			}
			complete.Write(r.Body)
			a.text += string(r.Body)
			return nil
		}))
		a.complete = complete.String()
		switch {
		case err != nil:
			a.failed, a.text = true, err.Error()
			a.complete += err.Error()
		case a.status >= 300:
			a.failed = true
			a.text = messageOf(a.text)
		default:
			a.text = ""
		}
		return a
	}
}

// messageOf is the message in the body of a failed resource.
func messageOf(body string) string {
	var response struct{ Message, Error string }
	if json.Unmarshal([]byte(body), &response) != nil {
		return "no JSON: " + body
	}
	return response.Message + response.Error
}

// health runs a health check, and returns the line of one service.
func health(service string) func(context.Context, *plugin.Datasource) outcome {
	return func(ctx context.Context, ds *plugin.Datasource) outcome {
		result, err := ds.CheckHealth(asUser(ctx), &backend.CheckHealthRequest{Headers: userHeaders})
		if err != nil {
			return outcome{failed: true, text: "the whole check failed: " + err.Error()}
		}
		a := outcome{complete: result.Message + string(result.JSONDetails)}
		for _, line := range strings.Split(result.Message, "\n") {
			// A line begins with a mark.
			if _, text, ok := strings.Cut(line, " "+service+": "); ok {
				a.text = text
			}
		}
		a.failed = !strings.Contains(a.text, " took ")
		if a.failed && result.Status != backend.HealthStatusError {
			a.text += " (WITH STATUS OK)"
		}
		return a
	}
}
