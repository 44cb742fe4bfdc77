package dashboards_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// incidents make panels that list problems have rows. Jobs continue, so that there is a straggler.
var incidents = []scenario.Incident{scenario.Late, scenario.GPUFailure, scenario.LinkFlap, scenario.FullDisk, scenario.BadTraining}

// TestQueries_Succeed opens every dashboard and runs all its queries: variables, panels, annotations.
func TestQueries_Succeed(t *testing.T) {
	for name, config := range map[string]platform.Config{
		"as the simulator names its metrics":       {GPUsPerNode: 2, Incidents: incidents},
		"as another vendor and DCGM 4.6 name them": {GPUsPerNode: 2, Incidents: incidents, Prefix: "acme_cloud", Exporter: metrics.Exporter{NewNames: true}},
	} {
		g := newGrafana(t, config)
		for _, d := range load(t) {
			d.Time.From = "now-2h" // in Grafana, the end-to-end tests open the range of each
			t.Run(name+"/"+d.Title, func(t *testing.T) {
				vars := g.fill(t, d)
				for name, c := range vars {
					if name == "not_collected" {
						assert.Empty(t, c.values, "what is simulated is collected")
					} else {
						assert.NotEmpty(t, c.values, "the variable %s has no values", name)
					}
				}
				for _, p := range d.charts() {
					g.expectData(t, d, p, vars)
				}
				for _, a := range d.Annotations.List {
					responses := g.runQueries(t, []map[string]any{vars.into(a.Target)}, 24*time.Hour, time.Minute, 480)
					for _, response := range responses {
						require.NoError(t, response.Error)
						assert.True(t, hasValue(response.Frames), "%s: nothing to draw", a.Name)
					}
				}
			})
		}
	}
}

// expectData runs the queries of a panel, and those without data again at earlier times, because jobs and faults do not occur
// at every time.
func (g grafana) expectData(t *testing.T, d dashboard, p panel, vars values) {
	t.Helper()
	for back := time.Duration(0); len(p.Targets) > 0 && back < 4*24*time.Hour; back += 6 * time.Hour {
		earlier := g
		earlier.now = g.now.Add(-back)
		responses := earlier.show(t, d, p, vars)
		require.Len(t, responses, len(p.Targets))
		p.Targets = slices.DeleteFunc(slices.Clone(p.Targets), func(target map[string]any) bool {
			refID := target["refId"].(string)
			response := responses[refID]
			require.NoError(t, response.Error, "%s, query %s", p.Title, refID)
			p.orders(t, response.Frames)
			return hasValue(response.Frames) || slices.Contains(notSimulated, p.Title+" "+refID)
		})
	}
	assert.Empty(t, p.Targets, "%s: nothing to draw", p.Title)
}

// notSimulated are queries with nothing to show: no label says whose the simulated GPUs are, no job has a node alone, no port loses its
// line rate, no drive has new errors, each node has GPUs, nodes that fail are not hot, jobs may use all own nodes, which are those of now in
// every range, and nothing is by soperator or kube-state-metrics. Scenes have these.
var notSimulated = []string{
	"By team B", "By team C", "By Slurm job A", "By namespace A", "By namespace B",
	"Local NVMe drives C", "GPUs of the node by cause B", "Nodes that keep failing F", "Worst ports D", "Free GPUs of own nodes A",
	"Jobs and pods that wait, fail or restart B", "Jobs and pods that wait, fail or restart C", "Jobs and pods that wait, fail or restart D",
	"Jobs of Slurm that failed B", "Failed jobs by user B", "Failed jobs by node B",
}

// orders checks that the columns of a table are in the panel's order. Grafana knows a column by the title that its query gives it, and one
// of joined results also by the name of its result, if that has one.
func (p panel) orders(t *testing.T, frames data.Frames) {
	t.Helper()
	joined := slices.ContainsFunc(p.Transformations, func(one transformation) bool { return one.ID == "joinByField" })
	for _, transformation := range p.Transformations {
		order, _ := transformation.Options["indexByName"].(map[string]any)
		for _, frame := range frames {
			for _, field := range frame.Fields {
				called := field.Name
				switch {
				case field.Config != nil && field.Config.DisplayNameFromDS != "":
					called = field.Config.DisplayNameFromDS
				case joined && frame.Name != "":
					called += " " + frame.Name
				}
				if place, ok := order[field.Name]; ok {
					assert.Equal(t, place, order[called], "%s, column %s", p.Title, called)
				}
			}
		}
	}
}

// TestQueries_NotCollected removes metric families. Their panels are empty without an error, so that Grafana shows their text
// for no data. Panels of other families are not affected, and most of those that have nothing are folded away.
func TestQueries_NotCollected(t *testing.T) {
	g := newGrafana(t, platform.Config{GPUsPerNode: 2, Missing: []string{"_slurm_", "_elb_", "_ib_port_", "_node:", "DCGM_FI_PROF"}})
	empty := map[string]string{
		"Queue": "At the end of the range", "Network and storage": "New connections and traffic",
	}
	said := map[string]string{
		"Queue": "Not collected here: Slurm, kube-state-metrics", "Network and storage": "Not collected here: InfiniBand, load balancers",
		"Overview": "Not collected here: profiling", "Node": "Not collected here: profiling, InfiniBand",
	}
	for _, d := range load(t) {
		d.Time.From = "now-1h" // what is collected is so in all ranges
		vars, nothing := g.fill(t, d), 0
		if text, ok := said[d.Title]; ok {
			assert.Equal(t, []string{text}, vars["not_collected"].values, d.Title)
		}
		for _, p := range d.charts() {
			found := false
			for refID, response := range g.show(t, d, p, vars) {
				assert.NoError(t, response.Error, "%s/%s, query %s", d.Title, p.Title, refID)
				found = found || hasValue(response.Frames)
			}
			if d.UID == "gpucloud-gpu-overview" && (strings.HasPrefix(p.Title, "Utilization") || p.Title == "Twenty idlest nodes") {
				assert.True(t, found, "%s: GPUs are read", p.Title)
			}
			if empty[d.Title] == p.Title {
				assert.False(t, found, "%s/%s: there should be nothing, and nothing that looks like 0", d.Title, p.Title)
				assert.Regexp(t, `^Nothing matches the choice above, or (no|the|these) .+\. Red sign: the query failed\.$`, p.FieldConfig.Defaults["noValue"])
			}
			if isOpen := slices.ContainsFunc(d.Panels, func(one panel) bool { return one.ID == p.ID }); isOpen && !found {
				nothing++
			}
		}
		assert.LessOrEqual(t, nothing, 4, "%s: panels that have nothing and are not folded away", d.Title)
	}
}

// mostSeries is what a browser draws or lists at once.
const mostSeries = 200

// TestQueries_FewSeries opens every panel on a fleet of 205 nodes with a GPU each. What grows with the fleet is aggregated, or only the
// first few are read.
func TestQueries_FewSeries(t *testing.T) {
	g := newGrafana(t, platform.Config{Nodes: 205, GPUsPerNode: 1, Incidents: incidents})
	for _, d := range load(t) {
		d.Time.From = "now-20m" // the number of series depends on the fleet
		vars := g.fill(t, d)
		for _, p := range d.charts() {
			expectFewSeries(t, d, p, g.show(t, d, p, vars))
		}
	}
}

func expectFewSeries(t testing.TB, d dashboard, p panel, responses backend.Responses) {
	t.Helper()
	for refID, response := range responses {
		require.NoError(t, response.Error, "%s/%s, query %s", d.Title, p.Title, refID)
		count := len(response.Frames)
		if count == 1 && p.Type == "table" && p.Title != "Events" { // of which there are as many as jobs reported
			count = response.Frames[0].Rows()
		}
		assert.LessOrEqual(t, count, mostSeries, "%s/%s, query %s", d.Title, p.Title, refID)
	}
}
