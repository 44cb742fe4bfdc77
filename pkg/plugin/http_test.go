package plugin_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestHTTP2(t *testing.T) {
	p := platform.New(platform.Config{Now: func() time.Time { return noon }})
	var major atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		major.Store(int32(r.ProtoMajor))
		p.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	ds := newDatasourceWith(t, server.URL, values{"tlsAuthWithCACert": true}, map[string]string{
		"monitoringToken": platform.DefaultMonitoringToken, "tlsCACert": authority,
	})
	require.Len(t, frames(t, ds, values{"expr": "DCGM_FI_DEV_GPU_UTIL"}), platform.DefaultNodes*platform.DefaultGPUsPerNode)
	require.EqualValues(t, 2, major.Load())
}

// TestCounterReset_NoNegativeRate has restarts of targets and missed scrapes. Rates are never negative.
func TestCounterReset_NoNegativeRate(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Collection: metrics.Collection{Jitter: 15 * time.Second, Missed: 0.02, Restarts: 20 * time.Minute}})
	series := frames(t, newDatasource(t, address, nil), values{"expr": `rate(vendor_vm_cpu_seconds_total{mode="user"}[$__rate_interval])`})
	require.NotEmpty(t, series)
	for _, frame := range series {
		for i := range frame.Rows() {
			require.GreaterOrEqual(t, frame.At(1, i).(float64), 0.0)
		}
	}
}
