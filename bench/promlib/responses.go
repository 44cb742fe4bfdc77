package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// ServeHTTP replays the response as it was sent, compressed.
func (s response) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(s.packed)
}

// responses compares what is done with a response, from HTTP body to marshalled frames: decompressing, decoding, marshalling.
// It comes over the loopback interface; the platform's part is taken out by replaying it.
func responses(rounds int, recorded []response, r *report.Report) error {
	group := r.Group("HTTP body → marshalled frames, compared with net/http and promlib")
	client, err := transport.New(transport.Options{
		HTTP:             httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions},
		Service:          transport.Service{Name: "metrics", Title: "The metrics endpoint", Credential: "monitoring token", Section: "Metrics"},
		Authorize:        transport.Bearer("none"),
		MaxResponseBytes: 256 << 20,
		MaxConcurrent:    32,
	})
	if err != nil {
		return err
	}
	defer client.Close()
	for _, s := range recorded {
		replay := httptest.NewServer(s)
		a, b, err := timing.Compare(rounds,
			func() error { return whole(replay.URL, client.Do, ours) },
			func() error { return whole(replay.URL, netHTTP.Do, promlib) })
		replay.Close()
		if err != nil {
			return err
		}
		group.Compare(s.name, report.Took(a.Time), report.Took(b.Time), report.AtMost(1/1.4))
	}
	return nil
}

// netHTTP accepts gzip by itself, as the client of Grafana's data sources does.
var netHTTP = &http.Client{Timeout: time.Minute}

// whole sends a request and goes on with its response up to the marshalled frames.
func whole(address string, send func(*http.Request) (*http.Response, error), decode decoder) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := send(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	frames, err := decode(resp.Body)
	if err != nil {
		return err
	}
	_, err = frames.MarshalArrow()
	return err
}
