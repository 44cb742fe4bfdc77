package plugin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// newDialect makes a data source of a simulated gateway. Its clock is at noon unless config has another one.
func newDialect(t *testing.T, config platform.Config) (*platform.Platform, *plugin.Datasource) {
	t.Helper()
	p, address := newPlatformWith(t, config)
	return p, tuningDatasource(t, address+platform.TuningPath)
}

// beforeNoon runs one query over the 30 days before noon.
func beforeNoon(t *testing.T, ds *plugin.Datasource, saved values) backend.DataResponse {
	t.Helper()
	q := dataQuery(t, "A", saved)
	q.TimeRange = backend.TimeRange{From: noon.Add(-30 * 24 * time.Hour), To: noon}
	return runQueries(t, ds, q)["A"]
}

// TestGateway_RefusedLimit counts the requests with a refused page size.
func TestGateway_RefusedLimit(t *testing.T) {
	p, ds := newDialect(t, platform.Config{GatewayMaxLimit: 100, ExtraJobs: 250})
	found := beforeNoon(t, ds, values{"queryType": "fineTuningJobs", "format": "countByJob", "onlyInRange": false})
	require.NoError(t, found.Error)
	require.Greater(t, len(found.Frames), 250)
	require.NoError(t, beforeNoon(t, ds, values{"queryType": "fineTuningEvents", "jobIds": []string{diverging}}).Error)
	require.NoError(t, beforeNoon(t, ds, values{"queryType": "trainingFiles"}).Error)
	refused := p.Counters().Count(platform.ServiceTuning, "", http.StatusBadRequest)
	require.Equal(t, 1, refused, "the size that was refused is not requested again")
}

func allNotices(frames data.Frames) string {
	var all []string
	for _, frame := range frames {
		if frame.Meta != nil {
			for _, notice := range frame.Meta.Notices {
				all = append(all, notice.Text)
			}
		}
	}
	return strings.Join(all, "\n")
}
