package jobs

import "github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"

// Types of the gateway, which packages on top of this one don't know.
type (
	// Job is a fine-tuning job.
	Job = gateway.Job
	// Checkpoint is a checkpoint of a job.
	Checkpoint = gateway.Checkpoint
	// Sample is a value of a training metric.
	Sample = gateway.Sample
)

// Client queries one gateway. It is safe for concurrent use. Close cancels its requests.
type Client struct {
	*gateway.Client
	// Links are the data links of tables.
	Links Links
}
