package faults

import (
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"go.uber.org/goleak"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/logtest"
)

// logger records the log of the backend, at all levels.
var logger, logged = logtest.New(log.Trace)

// TestMain replaces the SDK's logger with a recorder. It fails if a goroutine, and with it a connection, outlives the tests.
func TestMain(m *testing.M) {
	log.DefaultLogger, backend.Logger = logger, logger
	goleak.VerifyTestMain(m)
}
