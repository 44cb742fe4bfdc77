package dashboards_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// TestProcessPanels_KnownMetrics runs queries, and looks up each metric and label of these panels in the metrics of the
// process.
func TestProcessPanels_KnownMetrics(t *testing.T) {
	g := newGrafana(t, platform.Config{})
	for _, query := range []map[string]any{{"refId": "A", "expr": "up", "range": true}, {"refId": "B", "queryType": "fineTuningJobs"}} {
		g.runQueries(t, []map[string]any{query}, time.Hour, time.Minute, 60)
	}
	// Failed connections open the circuit breaker, so that some requests are rejected.
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	lonely := newGrafanaAt(t, gone.URL)
	for range 12 {
		lonely.runQueries(t, []map[string]any{{"refId": "A", "expr": "up", "range": true}}, time.Hour, time.Minute, 60)
	}
	counted := labelsByName(t)

	requested := 0
	for _, d := range load(t) {
		for _, p := range d.charts() {
			if p.DataSource != theirs {
				continue
			}
			for _, target := range p.Targets {
				text := strings.ReplaceAll(target["expr"].(string), "$__rate_interval", "5m")
				expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
				require.NoError(t, err, text)
				requested++
				var grouping []string
				parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
					switch node := node.(type) {
					case *parser.AggregateExpr:
						grouping = node.Grouping
					case *parser.VectorSelector:
						labels, ok := counted[node.Name]
						assert.True(t, ok, "%s: nothing counts %s", p.Title, node.Name)
						assert.Subset(t, labels, grouping, "%s: %s", p.Title, node.Name)
					}
					return nil
				})
			}
		}
	}
	require.Positive(t, requested)
}

// labelsByName are the label names of the process's metrics. Those of a histogram are of its buckets.
func labelsByName(t *testing.T) map[string][]string {
	t.Helper()
	gathered, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	byName := map[string][]string{}
	for _, family := range gathered {
		name := family.GetName()
		var labels []string
		for _, pair := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, pair.GetName())
		}
		if family.GetMetric()[0].GetHistogram() != nil {
			name, labels = name+"_bucket", append(labels, "le")
		}
		byName[name] = labels
	}
	return byName
}
