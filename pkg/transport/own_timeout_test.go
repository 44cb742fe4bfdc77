package transport

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"
)

// The bodies are those of Prometheus 3, of VictoriaMetrics 1.13x for a query with timeout=50ms, and of nginx.
func TestOwnTimeout_NoOutage(t *testing.T) {
	for name, test := range map[string]struct {
		status   int
		after    time.Duration
		body     string
		attempts int
		kind     error
	}{
		"Prometheus": {503, 0, `{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}`, 1, ErrTimeout},
		"VictoriaMetrics": {422, 0, `{"status":"error","errorType":"422","error":"error when executing query=\"up\": cannot execute query: ` +
			`timeout exceeded during query execution: 0.050 seconds (elapsed 2.052 seconds); the timeout can be adjusted with -search.maxQueryDuration command-line flag"}`, 1, ErrTimeout},
		"VictoriaMetrics with 503":       {503, 0, `{"status":"error","errorType":"503","error":"timeout exceeded while fetching data block #1"}`, 1, ErrTimeout},
		"a gateway that waited":          {504, 3 * time.Second, `<html><h1>504 Gateway Time-out</h1></html>`, 1, ErrTimeout},
		"a gateway without a connection": {504, 0, `<html><h1>504 Gateway Time-out</h1></html>`, 4, ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := Service{Name: "test", Title: "The metrics endpoint"}
				attempts := 0
				var chain http.RoundTripper = httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
					attempts++
					time.Sleep(test.after)
					return &http.Response{StatusCode: test.status, Body: io.NopCloser(strings.NewReader(test.body)), Header: http.Header{}, Request: req}, nil
				})
				for _, m := range []httpclient.Middleware{attempt(service, 0), retries()} {
					chain = m.CreateMiddleware(httpclient.Options{}, chain)
				}
				client := &Client{http: &http.Client{Transport: chain}, Service: service}
				for range 20 {
					before := attempts
					_, err := client.Send(t.Context(), somewhere, nil) //nolint:bodyclose // there is none
					require.ErrorIs(t, err, test.kind)
					require.Equal(t, test.attempts, attempts-before)
					if test.attempts > 1 {
						return // an outage
					}
				}
			})
		})
	}
}
