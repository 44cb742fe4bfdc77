package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// truth is a simulated platform that never fails, and reads it without any of the plugin's code. Its values are a function of
// the time alone, so that they are those of every other simulated platform.
type truth struct{ server *httptest.Server }

func newTruth() *truth { return &truth{httptest.NewServer(platform.New(platform.Config{}))} }

func (t *truth) close() { t.server.Close() }

// get reads the JSON at a path with credentials of the tuning gateway or of the metrics.
func (t *truth) get(ctx context.Context, token, path string, params url.Values, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.server.URL+path+"?"+params.Encode(), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	body, err := fetch(req, false)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return json.Unmarshal(body, into)
}

// samples are the points of series, by the series' labels.
type samples map[string][]point

// point is a sample; a NaN is the text NaN, which is equal to itself.
type point struct {
	at    int64 // Unix milliseconds
	value string
}

// labelsKey are labels as a text. The encoding sorts them by name.
func labelsKey(labels map[string]string) string {
	encoded, _ := json.Marshal(labels)
	return string(encoded)
}

func valueOf(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// promResponse is a matrix or a vector of the Prometheus API.
type promResponse struct {
	Data struct {
		Result []struct {
			Metric map[string]string
			Value  model.SamplePair
			Values []model.SamplePair
		}
	}
}

func pointOf(s model.SamplePair) point { return point{int64(s.Timestamp), valueOf(float64(s.Value))} }

func (r promResponse) samples() samples {
	found := samples{}
	for _, series := range r.Data.Result {
		points := make([]point, 0, len(series.Values))
		for _, sample := range series.Values {
			points = append(points, pointOf(sample))
		}
		if series.Values == nil {
			points = append(points, pointOf(series.Value))
		}
		found[labelsKey(series.Metric)] = points
	}
	return found
}

// matrix evaluates a range query at each step from a time to another, which are whole steps.
func (t *truth) matrix(ctx context.Context, expr string, from, to time.Time, step time.Duration) (samples, error) {
	return t.metrics(ctx, "/api/v1/query_range", url.Values{
		"query": {expr}, "start": {seconds(from)}, "end": {seconds(to)}, "step": {strconv.FormatFloat(step.Seconds(), 'f', -1, 64)},
	})
}

// vector evaluates an instant query.
func (t *truth) vector(ctx context.Context, expr string, at time.Time) (samples, error) {
	return t.metrics(ctx, "/api/v1/query", url.Values{"query": {expr}, "time": {seconds(at)}})
}

func (t *truth) metrics(ctx context.Context, path string, params url.Values) (samples, error) {
	var read promResponse
	base := "/v1/projects/" + platform.DefaultProjectID + "/metrics/timeseries"
	err := t.get(ctx, platform.DefaultMonitoringToken, base+path, params, &read)
	return read.samples(), err
}

func seconds(at time.Time) string {
	return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', -1, 64)
}

// record is an object of the tuning gateway.
type record map[string]any

// list reads all pages of a list of the gateway, at a path below its address.
func (t *truth) list(ctx context.Context, path string) ([]record, error) {
	var all []record
	for params := (url.Values{"limit": {"100"}}); ; {
		var page struct {
			Data    []record
			HasMore bool `json:"has_more"`
		}
		if err := t.tuning(ctx, path, params, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if !page.HasMore || len(page.Data) == 0 {
			return all, nil
		}
		params.Set("after", page.Data[len(page.Data)-1].text("id"))
	}
}

func (t *truth) tuning(ctx context.Context, path string, params url.Values, into any) error {
	return t.get(ctx, platform.DefaultInferenceAPIKey, platform.TuningPath+"/v1/"+path, params, into)
}

// text is a member of a record as it is written in a table: a number without exponent and without digits that say nothing.
func (r record) text(name string) string {
	switch value := r[name].(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return ""
}

// finishedJob is the job that succeeded last, to which nothing happens any more.
func (t *truth) finishedJob(ctx context.Context) (string, error) {
	jobs, err := t.list(ctx, "fine_tuning/jobs")
	if err != nil {
		return "", err
	}
	var id string
	var newest float64
	for _, job := range jobs {
		finished, _ := job["finished_at"].(float64)
		// Jobs of this name are edge cases, which have what others have not.
		if job["status"] == "succeeded" && finished > newest && !strings.HasPrefix(job.text("id"), "ftjob-0dd0") {
			id, newest = job.text("id"), finished
		}
	}
	if id == "" {
		return "", errors.New("the platform has no finished job")
	}
	return id, nil
}
