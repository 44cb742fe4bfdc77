package main

import (
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
	flags.Func("incident", "`names` of what goes wrong from half an hour ago on, or all: "+fmt.Sprint(scenario.Incidents), func(list string) (err error) {
		c.Incidents, err = scenario.ParseIncidents(list)
		return err
	})
	flags.BoolVar(&c.Relative, "relative", false, "schedule jobs relative to the start, so that tests see the same at all times of a week")
	flags.DurationVar(&c.JobDuration, "job-duration", gateway.DefaultJobDuration, "`time` that a fine-tuning job takes that is created")
	return o, flags.Parse(args)
}

// access is what a client needs to reach the platform: its address, and the variables that the provisioned data source names.
type access struct {
	Address string            `json:"address"`
	Env     map[string]string `json:"env"`
}

func accessOf(p *platform.Platform, at net.Addr) access {
	address := "http://" + at.String()
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		address = fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	c := p.Config()
	return access{address, map[string]string{
		"GPUCLOUD_BASE_URL": address, "GPUCLOUD_INTELLIGENCE_URL": address + platform.TuningPath,
		"GPUCLOUD_PROJECT_ID": c.ProjectID, "GPUCLOUD_ORGANIZATION_ID": platform.OrganizationID,
		"GPUCLOUD_MONITORING_TOKEN": c.MonitoringToken, "GPUCLOUD_INFERENCE_API_KEY": c.InferenceAPIKey,
		"GPUCLOUD_ACCESS_KEY_ID": c.AccessKeyID, "GPUCLOUD_SECRET_KEY": c.SecretKey,
	}}
}
