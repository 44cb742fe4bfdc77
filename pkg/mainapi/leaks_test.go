package mainapi_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails if a goroutine, and with it a connection, outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
