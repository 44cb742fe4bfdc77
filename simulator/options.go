package main

import (
	"errors"
	"flag"
	"fmt"
	"net"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// options are what the command line says.
type options struct {
	listen string
	config platform.Config
}

func parseOptions(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("simulator", flag.ContinueOnError)
	flags.StringVar(&o.listen, "listen", "127.0.0.1:9400", "`address` to listen on; port 0 takes a free one")
	c := &o.config
	flags.IntVar(&c.Nodes, "nodes", platform.DefaultNodes, "`number` of GPU nodes")
	flags.Func("incident", "`names` of what goes wrong from half an hour ago on, or all: "+fmt.Sprint(scenario.Incidents), func(list string) (err error) {
		c.Incidents, err = scenario.ParseIncidents(list)
		return err
	})
	flags.BoolVar(&c.Relative, "relative", false, "schedule jobs relative to the start, so that tests see the same at all times of a week")
	flags.DurationVar(&c.JobDuration, "job-duration", gateway.DefaultJobDuration, "`time` that a fine-tuning job takes that is created")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if c.Nodes < 1 {
		return o, errors.New("-nodes must be at least 1")
	}
	return o, nil
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
		OrganizationID: platform.OrganizationID, AccessKeyID: c.AccessKeyID, SecretKey: c.SecretKey,
	}
}
