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

// check is the result of the health check of one service.
type check struct {
	Service    string `json:"service"`
	OK         bool   `json:"ok"`
	Configured bool   `json:"configured"`
	Message    string `json:"message"`
	DurationMS int64  `json:"durationMs"`
	// Refused is true if the platform refused the credential. Grafana may have cut a provisioned one at a $.
	Refused bool `json:"refused,omitempty"`
}

// CheckHealth sends one small request to every configured service. The message has a line for each service, which starts with
// ✓, ✗, or – for one that isn't configured. The latter is an error only if no service is configured.
// The details repeat the lines as JSON: {"services": [{"service", "ok", "configured", "message", "durationMs", "refused"}],
// "verboseMessage"}.
func (ds *Datasource) CheckHealth(ctx context.Context, _ *backend.CheckHealthRequest) (*backend.CheckHealthResult, error) {
	ctx, cancel := context.WithTimeout(transport.Probe(ctx), healthTimeout)
	defer cancel()
	services := []func(context.Context) check{
		ds.metrics.check("Metrics", func(ctx context.Context) (string, error) { return "a range query", ds.metrics.client.Check(ctx) }),
		ds.gateway.check("Fine-tuning", func(ctx context.Context) (string, error) { return ds.gateway.client.Check(ctx) }),
		ds.mainAPI.check("Main API", func(ctx context.Context) (string, error) { return "a signed request", ds.mainAPI.client.Check(ctx) }),
	}
	if ds.metrics.err == nil && ds.metrics.client.Archive != nil {
		services = slices.Insert(services, 1, func(ctx context.Context) check {
			return runCheck("Archive", true, nil, func() (string, error) { return "a range query", ds.metrics.client.CheckArchive(ctx) })
		})
	}
	checks := make([]check, len(services))
	group, _ := panics.NewGroup(ctx)
	for i, fetch := range services {
		group.Go(func() error { checks[i] = fetch(ctx); return nil })
	}
	_ = group.Wait()

	result := &backend.CheckHealthResult{Status: backend.HealthStatusOk}
	anyConfigured := slices.ContainsFunc(checks, func(c check) bool { return c.Configured })
	var lines []string
	for i, c := range checks {
		mark := "✗"
		switch {
		case c.OK:
			mark = "✓"
		case !c.Configured && anyConfigured:
			checks[i].Message, mark = "not configured.", "–"
		default:
			result.Status = backend.HealthStatusError
		}
		lines = append(lines, mark+" "+c.Service+": "+checks[i].Message)
	}
	result.Message = strings.Join(lines, "\n")
	// Grafana joins the lines of the message, but not those of the verbose message.
	result.JSONDetails, _ = json.Marshal(map[string]any{"services": checks, "verboseMessage": result.Message}) // texts and numbers
	return result, nil
}

// runCheck sends the request of a health check, unless the service's settings have an error, and describes the result.
func runCheck(service string, configured bool, err error, fetch func() (sent string, err error)) (c check) {
	c = check{Service: service, Configured: configured}
	defer func() {
		if recover() != nil {
			c.Message = toAPIError(panics.Recovered(context.Background(), "A health check panicked", "service", service)).message
		}
	}()
	if err != nil {
		c.Message = toAPIError(err).message
		return c
	}
	start := time.Now()
	sent, err := fetch()
	took := time.Since(start)
	c.DurationMS = took.Milliseconds()
	if err != nil {
		c.Message = toAPIError(err).message
		var failed *transport.Error
		c.Refused = errors.As(err, &failed) && failed.Status == http.StatusUnauthorized
		return c
	}
	c.OK = true
	c.Message = fmt.Sprintf("%s took %d ms.", sent, max(1, took.Milliseconds()))
	return c
}
