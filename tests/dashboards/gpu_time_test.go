package dashboards_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// column is a column of texts of one query's response.
func column(t *testing.T, g grafana, p panel, vars values, refID, name string) []string {
	t.Helper()
	response := g.over(t, p, vars, time.Hour)[refID]
	require.NoError(t, response.Error)
	var list []string
	for _, frame := range response.Frames {
		if field, _ := frame.FieldByName(name); field != nil {
			for i := range field.Len() {
				value, _ := field.ConcreteAt(i)
				text, _ := value.(string)
				list = append(list, text)
			}
		}
	}
	return list
}

// TestGPUTime_FourStates opens the table of nodes that lose GPU time with nodes that do, with none, without metrics and in an outage.
func TestGPUTime_FourStates(t *testing.T) {
	d := boardOf(t, "gpucloud-gpu-time")
	p := d.panel(t, "Nodes that lose GPU time")
	stalled := newGrafana(t, platform.Config{Incidents: []scenario.Incident{scenario.Stall}})
	vars := stalled.fill(t, d)
	assert.Contains(t, column(t, stalled, p, vars, "A", "cause"), "50", "jobs that hang hold their GPUs")

	// With thresholds that nothing exceeds, all GPUs are free.
	well := vars
	for _, name := range []string{"running_above", "throttled_above", "sm_above", "tensor_above", "held_above"} {
		well = well.one(name, "1000000")
	}
	assert.Equal(t, []string{"No node loses GPU time in this range"}, nodesIn(t, stalled.over(t, p, well, time.Hour)["A"]))
	wrong := vars.one("cluster", "another-cluster")
	assert.Equal(t, []string{"Nothing matches the choice above"}, nodesIn(t, stalled.over(t, p, wrong, time.Hour)["A"]))
	without := newGrafana(t, platform.Config{Missing: []string{"DCGM_FI"}})
	assert.Equal(t, []string{"Not collected: see the description"}, nodesIn(t, without.over(t, p, vars, time.Hour)["A"]))
	for _, chart := range d.charts() {
		for refID, response := range without.over(t, chart, vars, time.Hour) {
			assert.NoError(t, response.Error, "%s, query %s", chart.Title, refID)
			if chart.Title == "GPUs by cause" {
				assert.False(t, hasValue(response.Frames), "no GPU is not 0 GPUs")
			}
		}
	}

	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	down := newGrafanaAt(t, gone.URL)
	for _, chart := range d.charts() {
		for refID, response := range down.over(t, chart, vars, time.Hour) {
			assert.Error(t, response.Error, "%s, query %s", chart.Title, refID)
		}
	}
}

// TestGPUTime_NoProfiling opens the dashboard of a platform whose exporter has no profiling metrics.
func TestGPUTime_NoProfiling(t *testing.T) {
	d := boardOf(t, "gpucloud-gpu-time")
	for name, test := range map[string]struct {
		missing []string
		by      string
	}{
		"all":     {nil, "B"},
		"tensor":  {[]string{"PROF_SM_"}, "C"},
		"neither": {[]string{"DCGM_FI_PROF"}, "D"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrafana(t, platform.Config{Missing: test.missing})
			responses := g.over(t, d.panel(t, "At the end of the range"), g.fill(t, d), time.Hour)
			gpus := numberOf(t, responses["A"])
			require.Positive(t, gpus)
			for _, refID := range []string{"B", "C", "D"} {
				if refID == test.by {
					assert.Equal(t, gpus, numberOf(t, responses[refID]), refID)
				} else {
					assert.Zero(t, numberOf(t, responses[refID]), refID)
				}
			}
		})
	}
}
