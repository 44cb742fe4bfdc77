package plugin_test

import (
	"flag"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement/placementtest"
)

var oneWorld = flag.Uint64("placement.world", 0, "the seed of the only world of TestPlacement_RandomWorlds")

// TestPlacement_RandomWorlds compares results with the truth of random platforms: no capacity, quota or state of a node may deny
// what is recommended, and nothing that is possible may be missed. The benchmark insight has more of them.
func TestPlacement_RandomWorlds(t *testing.T) {
	worlds, first := uint64(250), uint64(0)
	if testing.Short() {
		worlds = 100
	}
	if *oneWorld > 0 {
		first, worlds = *oneWorld, *oneWorld+1
	}
	places, roomy := 0, 0
	for seed := first; seed < worlds; seed++ {
		w := placementtest.New(seed)
		verdict := w.Judge(queryWorld(t, w))
		places, roomy = places+verdict.Places, roomy+verdict.Roomy
		if len(verdict.Wrong)+len(verdict.Missed) > 0 {
			t.Fatalf("world %d: wrong %q, missed %q\n%+v", seed, verdict.Wrong, verdict.Missed, w)
		}
	}
	if *oneWorld == 0 {
		require.Greater(t, places, 2*int(worlds), "the worlds have places")
		require.Greater(t, roomy, int(worlds)/2, "some of them with room")
		require.Less(t, roomy, places/2)
	}
}

// queryWorld runs queries on a world.
func queryWorld(t *testing.T, w *placementtest.World) placementtest.Query {
	t.Helper()
	address := serveFunc(t, w.Handler(time.Now()).ServeHTTP)
	settings, secrets := values{"projectId": placementtest.Project, "accessKeyId": "AK"}, map[string]string{"monitoringToken": "token", "secretKey": mainSecret}
	if w.Metrics == placementtest.NotServed {
		delete(secrets, "monitoringToken")
	}
	if w.Capacities == placementtest.NotServed {
		delete(settings, "accessKeyId")
		delete(secrets, "secretKey")
	}
	ds := newDatasourceWith(t, address, settings, secrets)
	return func(options map[string]any) (data.Frames, error) {
		q := dataQuery(t, "A", options)
		q.TimeRange = backend.TimeRange{From: time.Now().Add(-time.Hour), To: time.Now()}
		response := runQueries(t, ds, q)["A"]
		return response.Frames, response.Error
	}
}
