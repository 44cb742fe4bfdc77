package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
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
}

// CheckHealth asks every configured service one cheap question and answers with a line for each.
// The details repeat the lines as JSON: {"services": [{"service", "ok", "configured", "message", "durationMs"}]}.
func (ds *Datasource) CheckHealth(ctx context.Context, _ *backend.CheckHealthRequest) (*backend.CheckHealthResult, error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	checks := []check{ds.metrics.check(ctx)}

	result := &backend.CheckHealthResult{Status: backend.HealthStatusOk}
	var lines []string
	for _, c := range checks {
		lines = append(lines, c.Service+": "+c.Message)
		if !c.OK {
			result.Status = backend.HealthStatusError
		}
	}
	result.Message = strings.Join(lines, "\n")
	details, err := json.Marshal(map[string]any{"services": checks})
	if err != nil {
		return nil, err
	}
	result.JSONDetails = details
	return result, nil
}

func (s *metricsService) check(ctx context.Context) check {
	c := check{Service: "Metrics", Configured: s.configured}
	if s.err != nil {
		c.Message = explain(s.err).message
		return c
	}
	start := time.Now()
	err := s.client.Check(ctx)
	took := time.Since(start)
	c.DurationMS = took.Milliseconds()
	if err != nil {
		c.Message = explain(err).message
		return c
	}
	c.OK = true
	c.Message = fmt.Sprintf("a range query was answered in %d ms.", max(1, took.Milliseconds()))
	return c
}
