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
	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// healthTimeout bounds a health check whatever the data source's timeout is: someone is waiting at the button.
const healthTimeout = 9 * time.Second

// check is what was found out about one service.
type check struct {
	Service    string `json:"service"`
	OK         bool   `json:"ok"`
	Configured bool   `json:"configured"`
	Message    string `json:"message"`
	DurationMS int64  `json:"durationMs"`
	// Refused tells that the platform refused the credential. A provisioned one may have been cut at a $.
	Refused bool `json:"refused,omitempty"`
}

// CheckHealth sends every configured service one cheap request. The message has a line for each service, which starts with ✓, ✗,
// or – for one that isn't configured; that is a failure only if no other is.
// The details repeat the lines as JSON: {"services": [{"service", "ok", "configured", "message", "durationMs", "refused"}],
// "verboseMessage"}.
func (ds *Datasource) CheckHealth(ctx context.Context, _ *backend.CheckHealthRequest) (*backend.CheckHealthResult, error) {
	ctx, leave := process.join(ctx)
	defer leave()
	ctx, cancel := context.WithTimeout(transport.Probe(ctx), healthTimeout)
	defer cancel()
	services := []func(context.Context) check{
		ds.metrics.check("Metrics", func(ctx context.Context) (string, error) { return "a range query", ds.metrics.client.Check(ctx) }),
		ds.tuning.check("Fine-tuning", ds.tuning.healthRequest),
		ds.platform.check("Main API", func(ctx context.Context) (string, error) { return "a signed request", ds.platform.client.Check(ctx) }),
	}
	checks := make([]check, len(services))
	var group errgroup.Group
	for i, ask := range services {
		group.Go(func() error { checks[i] = ask(ctx); return nil })
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
	// Grafana writes the message in one line, and the verbose message as it is.
	details, err := json.Marshal(map[string]any{"services": checks, "verboseMessage": result.Message})
	if err != nil {
		return nil, err
	}
	result.JSONDetails = details
	return result, nil
}

// measure asks a service, unless its settings have an error, and puts what came of it into words.
func measure(service string, configured bool, err error, ask func() (asked string, err error)) (c check) {
	c = check{Service: service, Configured: configured}
	defer func() {
		if recover() != nil {
			c.Message = explain(panics.Recovered(context.Background(), "A health check panicked", "service", service)).message
		}
	}()
	if err != nil {
		c.Message = explain(err).message
		return c
	}
	start := time.Now()
	asked, err := ask()
	took := time.Since(start)
	c.DurationMS = took.Milliseconds()
	if err != nil {
		c.Message = explain(err).message
		var failure *transport.Error
		c.Refused = errors.As(err, &failure) && failure.Status == http.StatusUnauthorized
		return c
	}
	c.OK = true
	c.Message = fmt.Sprintf("%s was answered in %d ms.", asked, max(1, took.Milliseconds()))
	return c
}
