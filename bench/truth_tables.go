package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// checkpoints are rows of job, id, time, step and the two losses.
func (t *truth) checkpoints(ctx context.Context, job string) ([]string, error) {
	all, err := t.list(ctx, "fine_tuning/jobs/"+job+"/checkpoints")
	return rowsFrom(all, func(one record) []string {
		metrics, _ := one["metrics"].(map[string]any)
		return []string{
			job, one.text("id"), one.text("created_at"), one.text("step_number"), record(metrics).text("train_loss"), record(metrics).text("valid_loss"),
		}
	}), err
}

// events are rows of job, time and message.
func (t *truth) events(ctx context.Context, job string) ([]string, error) {
	all, err := t.list(ctx, "fine_tuning/jobs/"+job+"/events")
	return rowsFrom(all, func(one record) []string { return []string{job, one.text("created_at"), one.text("message")} }), err
}

// files are rows of id, time, name, purpose and size.
func (t *truth) files(ctx context.Context) ([]string, error) {
	all, err := t.list(ctx, "files")
	return rowsFrom(all, func(one record) []string {
		return []string{one.text("id"), one.text("created_at"), one.text("filename"), one.text("purpose"), one.text("bytes")}
	}), err
}

// curveNames are the metrics of a job that are curves, under the names that they have in its checkpoints. Others count steps.
var curveNames = map[string]string{"loss": "train_loss", "eval loss": "valid_loss", "learning rate": "learning_rate"}

// curves are rows of metric, step and value.
func (t *truth) curves(ctx context.Context, job string) ([]string, error) {
	var read struct {
		Metrics []struct {
			Name string `json:"metric_name"`
			Data []record
		}
	}
	err := t.tuning(ctx, "fine_tuning/jobs/"+job+"/metrics", nil, &read)
	var rows [][]string
	for _, metric := range read.Metrics {
		name, isCurve := curveNames[metric.Name]
		if !isCurve {
			continue
		}
		for _, point := range metric.Data {
			rows = append(rows, []string{name, point.text("step"), point.text("value")})
		}
	}
	return joined(rows), err
}

// compareCurves compares a table that has a row for each step and a column for each metric.
func compareCurves(frames data.Frames, want []string) error {
	if len(frames) != 1 || len(frames[0].Fields) == 0 {
		return fmt.Errorf("%w: there is no table of curves", errWrong)
	}
	var rows [][]string
	steps := frames[0].Fields[0]
	for _, curve := range frames[0].Fields[1:] {
		for i := range curve.Len() {
			if value := cellOf(curve, i); value != "" {
				rows = append(rows, []string{curve.Labels["metric"], cellOf(steps, i), value})
			}
		}
	}
	return compareRows(joined(rows), want)
}

// instances are rows of name and location.
func (t *truth) instances(ctx context.Context) ([]string, error) {
	var read struct{ Items []record }
	const path, timestampFormat = "/v1/compute/vms/instances", "2006-01-02T15:04:05Z"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.server.URL+path, nil)
	if err != nil {
		return nil, err
	}
	secret, err := base64.RawURLEncoding.DecodeString(platform.DefaultSecretKey)
	if err != nil {
		return nil, err
	}
	at, mac := time.Now().UTC().Format(timestampFormat), hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(mac, "%s\n%s\n%s\n%s\n", path, "", http.MethodGet, at)
	req.Header.Set(platform.DefaultTimestampHeader, at)
	req.Header.Set("Authorization", "Bearer 1.0:"+platform.DefaultAccessKeyID+":"+base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
	body, err := fetch(req, false)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &read); err != nil {
		return nil, err
	}
	return rowsFrom(read.Items, func(one record) []string { return []string{one.text("name"), one.text("location")} }), nil
}

func rowsFrom(all []record, cells func(record) []string) []string {
	rows := make([][]string, len(all))
	for i, one := range all {
		rows[i] = cells(one)
	}
	return joined(rows)
}
