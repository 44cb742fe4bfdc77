package plugin

import (
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
)

// newPlacementClient makes the client that finds places for GPUs, on top of the clients of metrics and of the main API, either of
// which may be missing.
func newPlacementClient(metrics metricsService, main service[*platform.Client]) *placement.Client {
	client := &placement.Client{MetricsErr: metrics.err, ListsErr: main.err}
	if metrics.hasClient() {
		client.Metrics = metrics.client
	}
	if main.hasClient() {
		client.Lists = main.client
	}
	return client
}
