package docs_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// docs/security.md, What the environment decides. Go reads proxy variables once in a process, so the test runs itself in
// another one.
func TestAProxyOfTheEnvironmentIsUsed(t *testing.T) {
	const inner = "TEST_WITH_PROXY"
	if os.Getenv(inner) != "" {
		jsonData, secrets := datasource.Settings("http://platform.example.com")
		run(t, datasource.New(t, jsonData, secrets), object{"expr": "up", "instant": true})
		return
	}
	var requested atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested.Store(r.URL.Host)
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer proxy.Close()
	self := exec.Command(os.Args[0], "-test.run", "^TestAProxyOfTheEnvironmentIsUsed$")
	self.Env = append(os.Environ(), inner+"=1", "HTTP_PROXY="+proxy.URL, "NO_PROXY=")
	output, err := self.CombinedOutput()
	require.NoError(t, err, string(output))
	require.Equal(t, "platform.example.com", requested.Load())
}
