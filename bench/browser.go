package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
)

const (
	// browserScript is the part of the scene that drives the browser.
	browserScript = "bench/browser/measure.mjs"
	// browserVisits is how often a dashboard is opened in a new browser, and how often its query editor is.
	browserVisits = 5
	// browserRefreshes are as many as an hour has, one a minute. The browser's clock goes on by that minute between them.
	browserRefreshes = 60
	// browserPatience is how long all of it may take.
	browserPatience = 45 * time.Minute
	// browserHours is how often that hour is measured.
	browserHours = 2
)

// task is what the script reads: where Grafana is, and the two sides to measure, ours first.
type task struct {
	Address   string        `json:"address"`
	User      string        `json:"user"`
	Password  string        `json:"password"`
	Visits    int           `json:"visits"`
	Refreshes int           `json:"refreshes"`
	Hours     int           `json:"hours"`
	Sides     []browserSide `json:"sides"`
}

// browserSide is a dashboard in Grafana, and the data source of all its panels.
type browserSide struct {
	Dashboard  string `json:"dashboard"`
	Datasource string `json:"datasource"`
	Panels     int    `json:"panels"`
}

// measured are the figures of one side: the values of all repetitions, by name. Times are milliseconds.
type measured map[string][]float64

// inBrowser measures what a person waits for: the same dashboard in Chromium, on our data source and on Grafana's own Prometheus
// data source, in turns.
func inBrowser(ctx context.Context, o options, r *report.Report) error {
	both, err := newContenders(ctx, o)
	if err != nil {
		return err
	}
	defer both.close(ctx)
	user, password := both.client.Login()
	job := task{Address: both.client.Address(), User: user, Password: password, Visits: browserVisits, Refreshes: browserRefreshes, Hours: browserHours}
	for _, c := range both.list() {
		model := c.dashboard()
		if err := both.client.CreateDashboard(ctx, model); err != nil {
			return err
		}
		defer func() { _ = both.client.DeleteDashboard(context.WithoutCancel(ctx), c.UID) }()
		job.Sides = append(job.Sides, browserSide{Dashboard: c.UID, Datasource: c.UID, Panels: len(wallPanels)})
	}
	sides, err := job.run(ctx)
	if err != nil {
		return err
	}
	ours, theirs := sides[0], sides[1]
	group := r.Group("In Chromium: a dashboard of %d panels (%s at %s), compared with Grafana's Prometheus data source; medians of %d",
		len(wallPanels), short(wallSpan), short(wallStep), browserVisits)
	for _, row := range browserRows {
		a, b := ours[row.name], theirs[row.name]
		if len(a) == 0 || len(b) == 0 {
			return fmt.Errorf("the browser did not measure %q", row.name)
		}
		group.Compare(row.name, report.Figure{Value: timing.Median(a), Unit: row.unit}, report.Figure{Value: timing.Median(b), Unit: row.unit}, row.goal)
	}
	return nil
}

// browserRows are the rows of the table, named as the script names them.
var browserRows = []struct {
	name string
	unit report.Unit
	goal report.Goal
}{
	{"first paint, cold", report.Milliseconds, report.AtMost(0.9)},
	{"first paint, warm", report.Milliseconds, report.AtMost(0.9)},
	{"results to the browser, first paint", report.Bytes, report.AtMost(0.4)},
	{"everything to the browser, cold", report.Bytes, report.Goal{}},
	{"refresh a minute later", report.Milliseconds, report.AtMost(0.9)},
	{"results to the browser, a refresh", report.Bytes, report.AtMost(0.4)},
	{"heap after the first paint", report.Bytes, report.Goal{}},
	{"heap after an hour of refreshes", report.Bytes, report.AtMost(0.9)},
	{"query editor opened, cold", report.Milliseconds, report.AtMost(1.2)},
	{"query editor opened, warm", report.Milliseconds, report.Goal{}},
	{"typing to completion, first", report.Milliseconds, report.Goal{}},
	{"typing to completion, again", report.Milliseconds, report.Goal{}},
}

// run runs the script, which prints the figures of both sides as JSON.
func (t task) run(ctx context.Context) ([]measured, error) {
	input, err := json.Marshal(t) //nolint:gosec // the password goes to the script alone
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, browserPatience)
	defer cancel()
	script := exec.CommandContext(ctx, "node", browserScript)
	script.WaitDelay = time.Second // a browser that is left behind keeps its output open
	script.Stdin, script.Stderr = bytes.NewReader(input), os.Stderr
	output, err := script.Output()
	if err != nil {
		return nil, fmt.Errorf("the browser: %w", err)
	}
	var sides []measured
	if err := json.Unmarshal(output, &sides); err != nil {
		return nil, err
	}
	if len(sides) != len(t.Sides) {
		return nil, errors.New("the browser did not measure both sides")
	}
	return sides, nil
}

// dashboard is the wall display's as a dashboard, which fits on a screen: Grafana loads only panels that are seen.
func (c *contender) dashboard() map[string]any {
	const columns, width, height = 4, 6, 8
	source := map[string]string{"type": c.Type, "uid": c.UID}
	panels := make([]map[string]any, len(wallPanels))
	for i, expr := range wallPanels {
		panels[i] = map[string]any{
			"id": i + 1, "type": "timeseries", "title": expr, "datasource": source, "interval": fmt.Sprintf("%ds", int(wallStep.Seconds())),
			"gridPos": map[string]int{"x": i % columns * width, "y": i / columns * height, "w": width, "h": height},
			"targets": []map[string]any{{
				"refId": "A", "datasource": source, "expr": expr, "range": true, "instant": false, "editorMode": "code", "legendFormat": "__auto",
			}},
		}
	}
	return map[string]any{
		"uid": c.UID, "title": c.Name, "timezone": "utc", "time": map[string]string{"from": "now-6h", "to": "now"}, "panels": panels,
	}
}
