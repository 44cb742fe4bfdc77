package dashboards_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// grafana is the part of Grafana between a dashboard and the plugin.
type grafana struct {
	plugin *plugin.Datasource
	now    time.Time
}

// newGrafana makes a platform, which is the same at all times of a week, and a data source with all three credentials and prices.
func newGrafana(t testing.TB, config platform.Config) grafana {
	t.Helper()
	config.Relative = true
	server := httptest.NewServer(platform.New(config))
	t.Cleanup(server.Close)
	jsonData, secrets := datasource.Settings(server.URL)
	jsonData["prices"] = map[string]any{"gpuHour": map[string]any{"NVIDIA H100 80GB HBM3": 3, "NVIDIA A100-SXM4-80GB": 2, "NVIDIA H200": 4}, "kilowattHour": 0.2, "currency": "EUR"}
	return grafana{plugin: datasource.New(t, jsonData, secrets), now: time.Now()}
}

// runQueries runs the queries of one panel in one request, like Grafana.
func (g grafana) runQueries(t testing.TB, queries []map[string]any, span, step time.Duration, points int64) backend.Responses {
	t.Helper()
	like := backend.DataQuery{MaxDataPoints: points, Interval: step, TimeRange: backend.TimeRange{From: g.now.Add(-span), To: g.now}}
	return datasource.Query(t, g.plugin, nil, like, queries...)
}

// show runs the queries of a panel over the range that the dashboard has at first.
func (g grafana) show(t testing.TB, d dashboard, p panel, vars values) backend.Responses {
	t.Helper()
	return g.over(t, p, vars, d.span(t))
}

// over runs the queries of a panel over a range.
func (g grafana) over(t testing.TB, p panel, vars values, span time.Duration) backend.Responses {
	t.Helper()
	var queries []map[string]any
	for _, target := range p.Targets {
		queries = append(queries, vars.into(target))
	}
	return g.runQueries(t, queries, span, p.step(t, vars, span), p.MaxDataPoints)
}

// column runs one query over the last span and returns a column of texts.
func (g grafana) column(t testing.TB, query map[string]any, name string, span time.Duration) []string {
	t.Helper()
	query["refId"] = "A"
	response := g.runQueries(t, []map[string]any{query}, span, time.Minute, 100)["A"]
	require.NoError(t, response.Error)
	var list []string
	for _, frame := range response.Frames {
		if field, _ := frame.FieldByName(name); field != nil {
			for i := range field.Len() {
				if value, ok := field.ConcreteAt(i); ok && value != "" {
					list = append(list, value.(string))
				}
			}
		}
	}
	return list
}

// hasValue reports whether a field other than a time has a value.
func hasValue(frames data.Frames) bool {
	for _, frame := range frames {
		for _, field := range frame.Fields {
			if field.Type().Time() {
				continue
			}
			for i := range field.Len() {
				if _, ok := field.ConcreteAt(i); ok {
					return true
				}
			}
		}
	}
	return false
}
