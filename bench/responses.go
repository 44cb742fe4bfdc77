package main

import (
	"context"
	"net/http"
	"net/http/httptest"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/reference"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// responses compares what is done with a response, from HTTP body to marshalled frames: unpacking, decoding, marshalling. The
// platform's part is taken out by recording its response once and replaying it, compressed as it came, on the loopback
// interface.
func responses(_ context.Context, o options, r *report.Report) error {
	group := r.Group("HTTP body → marshalled frames, compared with net/http and the jsoniter decoder")
	client, err := newTransport()
	if err != nil {
		return err
	}
	defer client.Close()
	for _, s := range shapes {
		recorded, err := s.record()
		if err != nil {
			return err
		}
		replay := httptest.NewServer(recorded)
		ours, theirs, err := measure(o.rounds,
			func() error { return throughTransport(client, replay.URL) },
			func() error { return theUsualWay(replay.URL) })
		replay.Close()
		if err != nil {
			return err
		}
		group.Compare(s.name, report.Took(ours.time), report.Took(theirs.time), report.AtMost(1/1.4))
	}
	return nil
}

func newTransport() (*transport.Client, error) {
	return transport.New(transport.Options{
		HTTP:             httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions},
		Service:          transport.Service{Name: "metrics", Title: "The metrics endpoint", Credential: "monitoring token", Section: "Metrics"},
		Authorize:        transport.Bearer(platform.DefaultMonitoringToken),
		MaxResponseBytes: 256 << 20,
		MaxConcurrent:    32,
	})
}

func throughTransport(client *transport.Client, address string) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	result, err := promjson.Decode(resp.Body, promjson.Limits{})
	if err != nil {
		return err
	}
	_, err = result.Frames.MarshalArrow()
	return err
}

func theUsualWay(address string) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := direct.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	frames, err := reference.Decode(resp.Body)
	if err != nil {
		return err
	}
	_, err = frames.MarshalArrow()
	return err
}
