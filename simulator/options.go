package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// options are what the command line says.
type options struct {
	listen string
	json   bool
	check  bool
	config platform.Config
}

func parseOptions(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("simulator", flag.ContinueOnError)
	flags.StringVar(&o.listen, "listen", "127.0.0.1:9400", "`address` to listen on; port 0 takes a free one")
	flags.BoolVar(&o.json, "json", false, "print addresses and credentials as one line of JSON")
	flags.BoolVar(&o.check, "healthcheck", false, "only check the simulator that runs at -listen")
	c := &o.config
	flags.IntVar(&c.Nodes, "nodes", platform.DefaultNodes, "`number` of GPU nodes")
	flags.IntVar(&c.GPUsPerNode, "gpus", platform.DefaultGPUsPerNode, "`number` of GPUs on a node")
	flags.DurationVar(&c.Latency, "latency", 0, "`time` waited before each response")
	flags.DurationVar(&c.Late, "late", 0, "`time` that some samples are late at most, such as 8m")
	flags.Uint64Var(&c.Seed, "seed", 0, "`number` that the scenario grows from")
	flags.Func("incident", "`names` of what goes wrong from half an hour ago on, or all: "+fmt.Sprint(scenario.Incidents), func(list string) (err error) {
		c.Incidents, err = scenario.ParseIncidents(list)
		return err
	})
	flags.BoolVar(&c.Relative, "relative", false, "schedule jobs relative to the start, so that tests see the same at all times of a week")
	flags.StringVar(&c.Prefix, "prefix", metrics.DefaultPrefix, "what the names of the platform's own metrics begin with")
	flags.Func("missing", "`part` of the names of metrics that are not collected, such as _slurm_; may be repeated", func(part string) error {
		c.Missing = append(c.Missing, part)
		return nil
	})
	flags.BoolVar(&c.Exporter.NewNames, "dcgm-new-names", false, "serve GPU metrics under the names of DCGM 4.6")
	flags.BoolVar(&c.Exporter.Microseconds, "dcgm-microseconds", false, "count the time in which GPUs are throttled in microseconds")
	flags.StringVar(&c.ProjectID, "project", platform.DefaultProjectID, "project `id`")
	flags.StringVar(&c.RangePath, "range-path", platform.DefaultRangePath, "how range queries are spelled: query_range or query-range")
	flags.Func("metrics-upstream", "`URL` of a Prometheus or VictoriaMetrics that serves the metrics endpoint's requests", func(address string) (err error) {
		c.MetricsUpstream, err = upstreamAddress(address)
		return err
	})
	flags.DurationVar(&c.JobDuration, "job-duration", gateway.DefaultJobDuration, "`time` that a fine-tuning job takes that is created")
	flags.IntVar(&c.ExtraJobs, "extra-jobs", 0, "`number` of finished fine-tuning jobs beside the scenario's")
	flags.StringVar(&c.MonitoringToken, "monitoring-token", platform.DefaultMonitoringToken, "`token` of the metrics endpoint")
	flags.StringVar(&c.InferenceAPIKey, "inference-api-key", platform.DefaultInferenceAPIKey, "`key` of the tuning gateway")
	flags.StringVar(&c.AccessKeyID, "access-key-id", platform.DefaultAccessKeyID, "`id` of the main API's signing key")
	flags.StringVar(&c.OrganizationID, "organization", platform.DefaultOrganizationID, "organization `id`")
	flags.StringVar(&c.TimestampHeader, "timestamp-header", platform.DefaultTimestampHeader, "`name` of the main API's timestamp header")
	flags.StringVar(&c.SecretKey, "secret-key", platform.DefaultSecretKey, "signing `key` of the main API, in raw URL-safe base64")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if c.Nodes < 1 || c.GPUsPerNode < 1 {
		return o, errors.New("-nodes and -gpus must be at least 1")
	}
	if c.Late < 0 {
		return o, errors.New("-late must not be less than 0")
	}
	if c.JobDuration <= 0 || c.ExtraJobs < 0 {
		return o, errors.New("-job-duration must be more than 0, and -extra-jobs not less")
	}
	if secret, err := base64.RawURLEncoding.Strict().DecodeString(c.SecretKey); err != nil || len(secret) == 0 {
		return o, errors.New("-secret-key must be raw URL-safe base64")
	}
	if c.RangePath != "query_range" && c.RangePath != "query-range" {
		return o, errors.New("-range-path must be query_range or query-range")
	}
	return o, nil
}

// upstreamAddress reads the base address of a query engine, below which it serves /api/v1/.
func upstreamAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return nil, errors.New("not an address such as http://127.0.0.1:9090")
	}
	return u, nil
}

// access is what a client needs to reach the platform.
type access struct {
	Address         string `json:"address"`
	MetricsURL      string `json:"metricsUrl"`
	IntelligenceURL string `json:"intelligenceUrl"`
	ProjectID       string `json:"projectId"`
	MonitoringToken string `json:"monitoringToken"`
	InferenceAPIKey string `json:"inferenceApiKey"`
	OrganizationID  string `json:"organizationId"`
	AccessKeyID     string `json:"accessKeyId"`
	SecretKey       string `json:"secretKey"`
}

func accessOf(p *platform.Platform, at net.Addr) access {
	address := "http://" + at.String()
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		address = fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	c := p.Config()
	return access{
		Address: address, MetricsURL: address + p.MetricsPath(), IntelligenceURL: address + platform.TuningPath,
		ProjectID: c.ProjectID, MonitoringToken: c.MonitoringToken, InferenceAPIKey: c.InferenceAPIKey,
		OrganizationID: c.OrganizationID, AccessKeyID: c.AccessKeyID, SecretKey: c.SecretKey,
	}
}

func (a access) writeJSON(w io.Writer) error { return json.NewEncoder(w).Encode(a) }

func (a access) writeText(w io.Writer, c platform.Config) error {
	_, err := fmt.Fprintf(w, `GPU cloud simulator: %d nodes with %d GPUs each. Ctrl-C stops it.

  Base address        %s
  Project id          %s
  Metrics endpoint    %s
  Monitoring token    %s
  Tuning gateway      %s
  Inference API key   %s
  Main API            %s/v1
  Organization id     %s
  Access key id       %s
  Secret key          %s
  Control             %s/_control/ (faults, counters)

`, c.Nodes, c.GPUsPerNode, a.Address, a.ProjectID, a.MetricsURL, a.MonitoringToken, a.IntelligenceURL, a.InferenceAPIKey,
		a.Address, a.OrganizationID, a.AccessKeyID, a.SecretKey, a.Address)
	return err
}
