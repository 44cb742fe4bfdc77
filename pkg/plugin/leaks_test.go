package plugin_test

import (
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"go.uber.org/goleak"
)

// TestMain fails if a goroutine, and with it a connection, outlives the tests. It turns the log off, so that failures are
// readable; tests of the log replace the logger.
func TestMain(m *testing.M) {
	log.DefaultLogger = log.NewNullLogger()
	goleak.VerifyTestMain(m)
}
