package dashboards_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// nodesIn are the values of the column "node" in one query's response: names of nodes, or a sentence.
func nodesIn(t *testing.T, response backend.DataResponse) []string {
	t.Helper()
	return textsIn(t, response, "node")
}

// textsIn are the values of a column of texts.
func textsIn(t *testing.T, response backend.DataResponse, name string) []string {
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

// slow are those of the dashboard of stragglers.
var slow = map[string]string{
	"GPUs slower than their peers, by clock and heat":            "All is well: no GPU under load is slower than its peers",
	"Nodes slower than their node pool, by heat and power limit": "All is well: no node under load is slower than its node pool",
	"XID errors at the end of the range":                         "No XID error",
	"Faulty GPU memory":                                          "All is well: no GPU has faulty memory",
	"GPUs that heat slows down":                                  "All is well: heat slows no GPU down",
}

func TestStragglerDashboard_FourStates(t *testing.T) {
	testFourStates(t, find(t, "gpucloud-stragglers"), slow)
}

func testFourStates(t *testing.T, d dashboard, sentences map[string]string) {
	t.Helper()
	healthy := newGrafana(t, platform.Config{})
	vars := healthy.fill(t, d)
	without := newGrafana(t, platform.Config{Missing: []string{"DCGM_FI_DEV"}})
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	down := newGrafanaAt(t, gone.URL)
	wrong := vars.one("cluster", "another-cluster")
	for title, none := range sentences {
		t.Run(title, func(t *testing.T) {
			p := d.panel(t, title)
			if title == "XID errors at the end of the range" {
				assert.Equal(t, []string{none}, nodesIn(t, healthy.over(t, p, vars, time.Hour)["A"]))
			}
			assert.Equal(t, []string{"Nothing matches the choice above"}, nodesIn(t, healthy.over(t, p, wrong, time.Hour)["A"]))
			assert.Equal(t, []string{"Not collected: see the description"}, nodesIn(t, without.over(t, p, vars, time.Hour)["A"]))
			response := down.over(t, p, vars, time.Hour)["A"]
			require.Error(t, response.Error)
			assert.False(t, hasValue(response.Frames))
			assert.Equal(t, "Not known, because the query failed: point at the red sign in the corner.", p.FieldConfig.Defaults["noValue"])
		})
	}
}

// TestStragglerDashboard_XIDSince opens the panel half an hour after all incidents, over ranges with long and short steps.
func TestStragglerDashboard_XIDSince(t *testing.T) {
	g := newGrafana(t, platform.Config{Incidents: []scenario.Incident{scenario.Stall, scenario.GPUFailure}})
	d := find(t, "gpucloud-stragglers")
	vars := g.fill(t, d)
	began := g.now.Add(-scenario.IncidentAge)
	for name, span := range ranges {
		t.Run(name, func(t *testing.T) {
			g.saysSince(t, d.panel(t, "XID errors at the end of the range"), vars, span, "B", began)
		})
	}
}

func (g grafana) saysSince(t *testing.T, p panel, vars values, span time.Duration, since string, began time.Time) {
	t.Helper()
	responses := g.over(t, p, vars, span)
	found := nodesIn(t, responses["A"])
	require.NotContains(t, found, slow[p.Title])
	times := map[string]time.Time{}
	nodes := nodesIn(t, responses[since])
	for _, frame := range responses[since].Frames {
		value, _ := frame.FieldByName("Value")
		for row := range frame.Rows() {
			times[nodes[row]] = time.UnixMilli(int64(numberAt(value, row)))
		}
	}
	for _, node := range found {
		assert.WithinDuration(t, began, times[node], 3*time.Minute, node)
	}
}

func numberAt(field *data.Field, row int) float64 {
	value, _ := field.FloatAt(row)
	return value
}

// TestClusterVariable_SlurmOnly checks the name of the variable, because the menu passes values between dashboards by name,
// and clusters of Slurm are not those of Kubernetes.
func TestClusterVariable_SlurmOnly(t *testing.T) {
	named := map[string]bool{}
	for _, d := range load(t) {
		for _, v := range d.Templating.List {
			if strings.Contains(asJSON(t, v.Query), "_slurm_nodes, cluster_id") {
				named[v.Name] = true
			}
		}
	}
	require.Len(t, named, 1)
	for _, d := range load(t) {
		for _, v := range d.Templating.List {
			assert.True(t, d.UID == "gpucloud-queue" || !named[v.Name], "%s: %s", d.Title, v.Name)
		}
	}
}
