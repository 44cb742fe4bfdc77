package jobs_test

import (
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"go.uber.org/goleak"
)

// TestMain fails if a goroutine, and with it a connection, outlives the tests. The log is that of warnings, so that failures are
// readable.
func TestMain(m *testing.M) {
	log.DefaultLogger = log.NewWithLevel(log.Warn)
	goleak.VerifyTestMain(m)
}
