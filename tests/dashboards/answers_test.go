package dashboards_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// textsIn are the values of a column of texts.
func textsIn(t testing.TB, response backend.DataResponse, name string) []string {
	t.Helper()
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

// lists are those that say in a row why they are empty, by the dashboard.
var lists = map[string][]string{
	"gpucloud-stragglers": {
		"GPUs slower than their peers, by clock and heat", "Nodes at a lower clock than their node pool",
		"XID errors at the end of the range", "Faulty GPU memory", "GPUs that heat slows down",
	},
	"gpucloud-gpu-time": {losingNodes},
}

// TestLists_SayWhyTheyAreEmpty opens their dashboards with a choice that nothing matches, without metrics of GPUs, and in an outage.
func TestLists_SayWhyTheyAreEmpty(t *testing.T) {
	healthy, without := newGrafana(t, platform.Config{GPUsPerNode: 2}), newGrafana(t, platform.Config{GPUsPerNode: 2, Missing: []string{"DCGM_FI"}})
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	defer failing.Close()
	down := newGrafanaAt(t, failing.URL)
	for uid, titles := range lists {
		d := find(t, uid)
		vars := healthy.fill(t, d)
		wrong := healthy.choose(t, d, map[string]string{"cluster": "another-cluster"})
		missing := without.choose(t, d, map[string]string{"host": "vm_name", "node": "gpu-node-0001"})
		for _, p := range d.charts() {
			for refID, response := range down.over(t, p, vars, time.Hour) {
				assert.Error(t, response.Error, "%s, query %s", p.Title, refID)
				assert.False(t, hasValue(response.Frames), "%s, query %s", p.Title, refID)
			}
			responses := without.over(t, p, missing, time.Hour)
			for refID, response := range responses {
				assert.NoError(t, response.Error, "%s, query %s", p.Title, refID)
				assert.False(t, p.Title == "GPUs by cause" && hasValue(response.Frames), "no GPU is not 0 GPUs")
			}
			if slices.Contains(titles, p.Title) {
				assert.Equal(t, []string{"Not collected: see the description"}, textsIn(t, responses["A"], "sentence"), p.Title)
				assert.Equal(t, []string{"Nothing matches the choice above"}, textsIn(t, healthy.over(t, p, wrong, time.Hour)["A"], "sentence"), p.Title)
				assert.Equal(t, "Not known, because the query failed: point at the red sign in the corner.", p.FieldConfig.Defaults["noValue"], p.Title)
			}
		}
	}
}

// TestStragglerDashboard_XIDSince opens the panel half an hour after all incidents, over ranges with long and short steps.
func TestStragglerDashboard_XIDSince(t *testing.T) {
	g := newGrafana(t, platform.Config{Incidents: []scenario.Incident{scenario.Stall, scenario.GPUFailure}})
	d := find(t, "gpucloud-stragglers")
	vars, p := g.fill(t, d), d.panel(t, "XID errors at the end of the range")
	for name, span := range ranges {
		t.Run(name, func(t *testing.T) {
			responses := g.over(t, p, vars, span)
			codes, since := by(t, responses["A"], "node"), by(t, responses["B"], "node")
			require.NotEmpty(t, codes)
			require.Empty(t, textsIn(t, responses["A"], "sentence"))
			for node := range codes {
				assert.WithinDuration(t, g.now.Add(-scenario.IncidentAge), time.UnixMilli(int64(since[node])), 3*time.Minute, node)
			}
		})
	}
}

func numberAt(field *data.Field, row int) float64 {
	value, _ := field.FloatAt(row)
	return value
}
