package dashboards_test

import (
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// mostSeries is what a browser draws or lists at once.
const mostSeries = 200

// TestQueries_FewSeries opens every panel on a fleet of 220 nodes with a GPU each. What grows with the fleet is aggregated, or only the
// first few are read.
func TestQueries_FewSeries(t *testing.T) {
	g := newGrafana(t, platform.Config{Nodes: 220, GPUsPerNode: 1, Incidents: incidents})
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
