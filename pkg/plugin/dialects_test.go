package plugin_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// TestGateway_RefusedLimit counts the requests with a refused page size.
func TestGateway_RefusedLimit(t *testing.T) {
	t.Parallel()
	p, address := newPlatformWith(t, platform.Config{GatewayMaxLimit: 100, ExtraJobs: 250})
	ds := tuningDatasource(t, address+platform.TuningPath)
	found := monthTo(t, ds, noon, values{"queryType": "fineTuningJobs", "format": "countByJob", "onlyInRange": false})
	require.Greater(t, len(found), 250)
	monthTo(t, ds, noon, values{"queryType": "fineTuningEvents", "jobIds": []string{diverging}})
	monthTo(t, ds, noon, values{"queryType": "trainingFiles"})
	refused := p.Counters().Count(platform.ServiceTuning, "", http.StatusBadRequest)
	require.Equal(t, 1, refused, "the size that was refused is not requested again")
}
