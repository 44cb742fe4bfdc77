package platform

import (
	"cmp"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// The platform's size and made-up credentials, when Config doesn't say otherwise. They open nothing.
const (
	DefaultNodes           = 8
	DefaultGPUsPerNode     = 8
	DefaultProjectID       = "demo-project"
	DefaultMonitoringToken = "simulated-monitoring-token"
	DefaultInferenceAPIKey = "simulated-inference-api-key"
	DefaultAccessKeyID     = "SIMULATEDACCESSKEYID"
	DefaultSecretKey       = "c2ltdWxhdGVkLXNlY3JldC1rZXktZm9yLXRoZS1kZW1v" // raw URL-safe base64
	DefaultRangePath       = "query_range"
	OrganizationID         = mainapi.OrganizationID
)

// LargeCheckpointID is the id of a checkpoint of 1 GB, which is made while it is downloaded.
const LargeCheckpointID = gateway.LargeCheckpointID

// Config sets up a platform. The zero value of each field stands for its default.
type Config struct {
	Nodes           int    // DefaultNodes
	GPUsPerNode     int    // DefaultGPUsPerNode
	ProjectID       string // DefaultProjectID
	MonitoringToken string // DefaultMonitoringToken
	InferenceAPIKey string // DefaultInferenceAPIKey
	AccessKeyID     string // DefaultAccessKeyID
	SecretKey       string // DefaultSecretKey; raw URL-safe base64

	Now       func() time.Time    // the platform's clock; time.Now
	Incidents []scenario.Incident // what goes wrong, beginning scenario.IncidentAge before the platform does; none
	Relative  bool                // jobs are scheduled relative to the start instead of to the weeks of the calendar
	Late      time.Duration       // how late some samples appear at most; all are there in time
	Prefix    string              // of the names of the platform's own metrics; metrics.DefaultPrefix
	Exporter  metrics.Exporter    // how the GPU exporter serves its fields
	Missing   []string            // parts of the names of metrics that are not collected; everything is
	RangePath string              // how this deployment spells range queries: query_range or query-range

	SpecOnly        bool               // serve only what the platform's specification documents
	Collection      metrics.Collection // when samples are taken; on the whole minute, always
	GatewayMaxLimit int                // the gateway refuses a list with a larger limit; it lowers the limit
	RateLimit       int                // requests to the gateway a minute; any number

	JobDuration time.Duration // how long a created fine-tuning job takes; gateway.DefaultJobDuration
	ExtraJobs   int           // finished fine-tuning jobs beside the scenario's, with six checkpoints each; none
}

func (c Config) withDefaults() Config {
	c.Nodes = cmp.Or(c.Nodes, DefaultNodes)
	c.GPUsPerNode = cmp.Or(c.GPUsPerNode, DefaultGPUsPerNode)
	c.ProjectID = cmp.Or(c.ProjectID, DefaultProjectID)
	c.MonitoringToken = cmp.Or(c.MonitoringToken, DefaultMonitoringToken)
	c.InferenceAPIKey = cmp.Or(c.InferenceAPIKey, DefaultInferenceAPIKey)
	c.AccessKeyID = cmp.Or(c.AccessKeyID, DefaultAccessKeyID)
	c.SecretKey = cmp.Or(c.SecretKey, DefaultSecretKey)
	c.RangePath = cmp.Or(c.RangePath, DefaultRangePath)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}
