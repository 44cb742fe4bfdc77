package plugin

import "github.com/gpucloud/gpucloud-platform-datasource/pkg/training"

// newTrainingClient makes the client of training health on top of the clients of metrics and of fine-tuning, either of which may be missing.
func newTrainingClient(metrics metricsService, tuning tuningService) *training.Client {
	client := &training.Client{MetricsErr: metrics.err, JobsErr: tuning.err}
	if metrics.hasClient() {
		client.Metrics = metrics.client
	}
	if tuning.hasClient() {
		client.Jobs = tuning.client
	}
	return client
}
