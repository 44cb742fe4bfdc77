package plugin_test

import (
	"context"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"go.uber.org/goleak"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

// TestMain fails if a goroutine, and with it a connection, outlives the tests. It turns the log off, so that failures are
// readable; tests of the log replace the logger. What all data sources of a process share is made outside of the bubbles of tests.
func TestMain(m *testing.M) {
	log.DefaultLogger = log.NewNullLogger()
	instance, _ := plugin.New(context.Background(), backend.DataSourceInstanceSettings{})
	_, _ = instance.(*plugin.Datasource).QueryData(context.Background(), &backend.QueryDataRequest{})
	goleak.VerifyTestMain(m)
}
