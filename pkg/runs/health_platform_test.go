package runs_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	tuning "github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// job is a fine-tuning job that reports a value of each metric every ten steps, at the same intervals. Times are before noon.
type job struct {
	id, status     string
	started, ended time.Duration // ended is 0 if it goes on
	estimated      time.Duration // after noon
	every          time.Duration
	metrics        map[string][]any
	total          int
	// from is the step that it goes on from.
	from int
	// isBroken makes its metrics fail.
	isBroken bool
	// events is how many steps it reports in events instead, one a second, oldest first.
	events int
}

// jobServer is a tuning gateway with jobs.
type jobServer struct {
	jobs     []job
	requests atomic.Int32
}

func unix(d time.Duration) int64 { return noon.Add(-d).Unix() }

func (g *jobServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.requests.Add(1)
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/fine_tuning/jobs"), "/")
	if len(parts) == 1 {
		var all []any
		for _, j := range g.jobs {
			all = append(all, j.record())
		}
		write(w, object{"object": "list", "data": all, "has_more": false})
		return
	}
	for _, j := range g.jobs {
		switch {
		case j.id != parts[1]:
		case len(parts) == 2:
			write(w, j.record())
			return
		case parts[2] == "metrics" && j.events > 0:
			w.WriteHeader(http.StatusNotFound)
			return
		case parts[2] == "events" && j.events > 0:
			write(w, object{"object": "list", "data": j.stepEvents(), "has_more": false})
			return
		case parts[2] == "metrics" && j.isBroken:
			w.WriteHeader(http.StatusBadRequest)
			write(w, object{"error": object{"message": "no such metrics"}})
			return
		case parts[2] == "metrics":
			write(w, object{"metrics": j.reports()})
			return
		default: // events, checkpoints
			write(w, object{"object": "list", "data": []any{}, "has_more": false})
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
	write(w, object{"error": object{"message": "no such job"}})
}

func (j job) record() object {
	record := object{"id": j.id, "status": j.status, "created_at": unix(j.started), "model": "llama"}
	if j.ended != 0 {
		record["finished_at"] = unix(j.ended)
	}
	if j.estimated != 0 {
		record["estimated_finish"] = unix(-j.estimated)
	}
	return record
}

func (j job) reports() []any {
	var all []any
	for name, values := range j.metrics {
		var points []any
		for i, value := range values {
			at := unix(j.started - time.Duration(i+1)*j.every)
			points = append(points, object{"step": j.from + 10*(i+1), "timestamp": at, "value": value})
		}
		all = append(all, object{"metric_name": name, "data": points})
	}
	if j.total > 0 {
		all = append(all, object{"metric_name": "total_steps", "data": []any{object{"timestamp": unix(j.started), "value": j.total}}})
	}
	return all
}

func (j job) stepEvents() []any {
	var all []any
	for i := range j.events {
		at := unix(j.started - time.Duration(i+1)*time.Second)
		metrics := object{"step": i + 1, "train_loss": 3 - 2*float64(i)/float64(j.events)}
		all = append(all, object{"id": strconv.Itoa(i), "type": "metrics", "created_at": at, "message": "step", "data": metrics})
	}
	return all
}

// pods are series of the metrics endpoint: a value a minute, the newest at noon, by pod and metric. A value of missing has no sample.
type pods map[string]map[string][]float64

const missing = -1

func (p pods) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var result []any
	for pod, metrics := range p {
		for name, values := range metrics {
			var samples []any
			for i, value := range values {
				at := unix(time.Duration(len(values)-1-i) * time.Minute)
				if value != missing {
					samples = append(samples, []any{at, strconv.FormatFloat(value, 'g', -1, 64)})
				}
			}
			result = append(result, object{"metric": object{"__name__": name, "pod_name": pod}, "values": samples})
		}
	}
	write(w, object{"status": "success", "data": object{"resultType": "matrix", "result": result}})
}

// bare is a value that is written without quotes, which is no JSON.
type bare string

func (b bare) MarshalText() ([]byte, error) { return []byte("bare " + b), nil }

var barely = regexp.MustCompile(`"bare ([^"]*)"`)

func write(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	encoded, _ := json.Marshal(body)
	_, _ = w.Write(barely.ReplaceAll(encoded, []byte("$1")))
}

// newClient makes a client of jobs and pods, whose clock stands at noon.
func newClient(t *testing.T, g *jobServer, p pods) *runs.Client {
	t.Helper()
	now := func() time.Time { return noon }
	config := tuning.Config{}
	config.Transport, config.Downloads, config.Base = newTransport(t), newTransport(t), serve(t, g).JoinPath("/v1")
	config.Now, config.DetailsTimeout = now, time.Minute
	client := &jobs.Client{Client: tuning.New(config)}
	t.Cleanup(client.Close)
	metrics := prom.New(prom.Config{Transport: newTransport(t), Base: serve(t, p), Method: http.MethodGet, Now: now})
	t.Cleanup(metrics.Close)
	return &runs.Client{Jobs: client, Metrics: metrics, Now: now}
}

func serve(t *testing.T, handler http.Handler) *url.URL {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	return address
}

func newTransport(t *testing.T) *transport.Client {
	t.Helper()
	client, err := transport.New(transport.Options{
		HTTP: httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions}, Service: transport.Service{Title: "The platform", Credential: "key"},
		Authorize: transport.Bearer("inference-key"),
	})
	require.NoError(t, err)
	return client
}

// rows are those of a table, without nulls.
func rows(frame *data.Frame) []object {
	all := make([]object, frame.Rows())
	for i := range all {
		all[i] = object{}
		for _, field := range frame.Fields {
			if value, ok := field.ConcreteAt(i); ok {
				all[i][field.Name] = value
			}
		}
	}
	return all
}
