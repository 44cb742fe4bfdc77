package settings

import (
	"runtime"

	"github.com/grafana/grafana-plugin-sdk-go/backend/useragent"
)

// grafanaUserAgent is how Grafana introduces itself to a backend. A version that is not one leaves it out.
func grafanaUserAgent(version string) *useragent.UserAgent {
	agent, err := useragent.New(version, runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return nil
	}
	return agent
}
