package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// healthTimeout bounds a health check, also where the data source's timeout is longer, because a user waits for it.
const healthTimeout = 9 * time.Second

type check struct {
	Service    string `json:"service"`
	OK         bool   `json:"ok"`
	Configured bool   `json:"configured"`
	Message    string `json:"message"`
	// Refused is true if the platform refused the credential. Grafana may have cut a provisioned one at a $.
	Refused bool `json:"refused,omitempty"`
}

// CheckHealth sends one small request to every configured service. The message has a line for each service, which starts with
// ✓, ✗, or – for one that isn't configured. The latter is an error only if no service is configured.
// The details repeat the lines as JSON: {"services": [{"service", "ok", "configured", "message", "refused"}],
// "verboseMessage"}.
func (ds *Datasource) CheckHealth(ctx context.Context, _ *backend.CheckHealthRequest) (*backend.CheckHealthResult, error) {
	ctx, cancel := context.WithTimeout(transport.Probe(ctx), healthTimeout)
	defer cancel()
	var checks []*check
	group, _ := panics.NewGroup(ctx)
	run := func(service string, configured bool, settings error, send func(context.Context) (sent string, err error)) {
		c := &check{Service: service, Configured: configured}
		checks = append(checks, c)
		group.Go(func() error { c.run(ctx, settings, send); return nil })
	}
	run("Metrics", ds.metrics.configured, ds.metrics.err, func(ctx context.Context) (string, error) { return "a range query", ds.metrics.client.Check(ctx) })
	if ds.metrics.err == nil && ds.metrics.client.Archive != nil {
		run("Archive", true, nil, func(ctx context.Context) (string, error) { return "a range query", ds.metrics.client.CheckArchive(ctx) })
	}
	run("Fine-tuning", ds.gateway.configured, ds.gateway.err, func(ctx context.Context) (string, error) { return ds.gateway.client.Check(ctx) })
	run("Main API", ds.mainAPI.configured, ds.mainAPI.err, func(ctx context.Context) (string, error) { return "a signed request", ds.mainAPI.client.Check(ctx) })
	_ = group.Wait()

	result := &backend.CheckHealthResult{Status: backend.HealthStatusOk}
	anyConfigured := slices.ContainsFunc(checks, func(c *check) bool { return c.Configured })
	var lines []string
	for _, c := range checks {
		mark := "✗"
		switch {
		case c.OK:
			mark = "✓"
		case !c.Configured && anyConfigured:
			c.Message, mark = "not configured.", "–"
		default:
			result.Status = backend.HealthStatusError
		}
		lines = append(lines, mark+" "+c.Service+": "+c.Message)
	}
	result.Message = strings.Join(lines, "\n")
	// Grafana joins the lines of the message, but not those of the verbose message.
	result.JSONDetails, _ = json.Marshal(map[string]any{"services": checks, "verboseMessage": result.Message}) // texts and numbers
	return result, nil
}

// run sends the request of a health check, unless the service's settings have an error, and describes the result.
func (c *check) run(ctx context.Context, settings error, send func(context.Context) (sent string, err error)) {
	sent, start, err := "", time.Now(), settings
	if err == nil {
		func() {
			defer panics.Catch(ctx, "A health check panicked", &err)
			sent, err = send(ctx)
		}()
	}
	if err != nil {
		c.Message = toAPIError(err).message
		var failed *transport.Error
		c.Refused = errors.As(err, &failed) && failed.Status == http.StatusUnauthorized
		return
	}
	c.OK = true
	c.Message = fmt.Sprintf("%s took %d ms.", sent, max(1, time.Since(start).Milliseconds()))
}
