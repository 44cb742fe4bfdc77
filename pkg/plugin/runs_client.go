package plugin

import "github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"

// newRunsClient makes the client of runs on top of the clients of metrics and of fine-tuning, either of which may be missing.
// settings are nil if they can't be read; both have an error then.
func newRunsClient(s *settings, metrics metricsService, gateway gatewayService) *runs.Client {
	client := &runs.Client{MetricsErr: metrics.err, JobsErr: gateway.err}
	if metrics.hasClient() {
		client.Metrics = metrics.client
	}
	if gateway.hasClient() {
		client.Jobs = gateway.client
	}
	if s != nil {
		client.Prices, client.PricesErr = runs.ParsePrices(s.Prices)
	}
	return client
}
