package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	api "github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const key = "inference-key"

var noon = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// ago is the Unix time of a duration before noon.
func ago(d time.Duration) int64 { return noon.Add(-d).Unix() }

type object = map[string]any

// gateway is a tuning gateway with the records of a test: objects, or any other JSON values.
type gateway struct {
	jobs, files                 []any
	checkpoints, events, series map[string]any // by job id; []any is a list, any other value is the whole response
	// pageSize bounds a page, also if the parameter limit is larger; 0 for no bound.
	pageSize int
	// noHasMore leaves has_more out.
	noHasMore bool
	// handle returns true if it has written the response instead.
	handle func(w http.ResponseWriter, r *http.Request) bool

	lock        sync.Mutex
	requested   []string
	headers     http.Header
	notReadOnly atomic.Bool
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.lock.Lock()
	g.requested = append(g.requested, strings.TrimPrefix(r.URL.Path, "/v1/"))
	g.headers = r.Header.Clone()
	g.lock.Unlock()
	if r.Method != http.MethodGet {
		g.notReadOnly.Store(true)
	}
	w.Header().Set("Content-Type", "application/json")
	if g.handle != nil && g.handle(w, r) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+key {
		fail(w, http.StatusUnauthorized, "Incorrect API key provided")
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch {
	case r.URL.Path == "/v1/fine_tuning/jobs":
		g.list(w, r, g.jobs)
	case r.URL.Path == "/v1/files":
		g.list(w, r, g.files)
	case r.URL.Path == "/v1/models":
		respond(w, object{"object": "list", "data": []any{}})
	case len(parts) == 3 && parts[1] == "jobs":
		for _, job := range g.jobs {
			if o, ok := job.(object); ok && o["id"] == parts[2] {
				respond(w, o)
				return
			}
		}
		fail(w, http.StatusNotFound, "no such job")
	case len(parts) == 4:
		byJob := map[string]map[string]any{"checkpoints": g.checkpoints, "events": g.events, "metrics": g.series}[parts[3]]
		found, ok := byJob[parts[2]]
		if byJob == nil || !ok {
			fail(w, http.StatusNotFound, "not here")
		} else if items, ok := found.([]any); ok {
			g.list(w, r, items)
		} else {
			respond(w, found)
		}
	default:
		fail(w, http.StatusNotFound, "no such path")
	}
}

func (g *gateway) list(w http.ResponseWriter, r *http.Request, items []any) {
	after, limit := r.URL.Query().Get("after"), 20
	if n, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil {
		limit = n
	}
	if g.pageSize > 0 {
		limit = min(limit, g.pageSize)
	}
	start := 0
	for i, item := range items {
		if o, ok := item.(object); ok && after != "" && fmt.Sprint(o["id"]) == after {
			start = i + 1
		}
	}
	end := min(start+limit, len(items))
	page := object{"object": "list", "data": items[start:end]}
	if !g.noHasMore {
		page["has_more"] = end < len(items)
	}
	respond(w, page)
}

// withEmptyDetails adds empty lists of checkpoints and events to every job that has none. Without a list the gateway responds
// with 404, after three of which an endpoint counts as not served.
func (g *gateway) withEmptyDetails() {
	for _, lists := range []*map[string]any{&g.checkpoints, &g.events} {
		if *lists == nil {
			*lists = map[string]any{}
		}
		for _, one := range g.jobs {
			if id := one.(object)["id"].(string); (*lists)[id] == nil {
				(*lists)[id] = []any{}
			}
		}
	}
}

func respond(w http.ResponseWriter, body any) { _ = json.NewEncoder(w).Encode(body) }

func fail(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	respond(w, object{"error": object{"message": message, "type": "invalid_request_error"}})
}

// calls is the number of requests to paths that contain the text.
func (g *gateway) calls(containing string) int {
	g.lock.Lock()
	defer g.lock.Unlock()
	n := 0
	for _, path := range g.requested {
		if strings.Contains(path, containing) {
			n++
		}
	}
	return n
}

// clock is a clock that a test moves.
type clock struct {
	lock sync.Mutex
	at   time.Time
}

func (c *clock) now() time.Time {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.at = c.at.Add(d)
}

// config is that of a client.
type config struct {
	api.Config
	Links jobs.Links
}

// newClient makes a client of the gateway, whose clock stands at noon.
func newClient(t testing.TB, g *gateway, changes ...func(*config)) *jobs.Client {
	t.Helper()
	return newClientAt(t, g.start(t), changes...)
}

// start serves the gateway until the test ends, and returns its address.
func (g *gateway) start(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return server.URL
}

// newClientAt makes a client of the gateway at an address.
func newClientAt(t testing.TB, address string, changes ...func(*config)) *jobs.Client {
	t.Helper()
	base, err := url.Parse(address + "/v1")
	require.NoError(t, err)
	c := config{Links: jobs.Links{DataSourceUID: "gpucloud", DataSourceName: "GPU Cloud"}}
	c.Base, c.Now = base, func() time.Time { return noon }
	c.DetailsTimeout = time.Minute // long enough for machines under load
	options := httpclient.Options{Timeouts: &httpclient.TimeoutOptions{Timeout: time.Minute, DialTimeout: time.Minute, MaxIdleConnsPerHost: 20}}
	c.Transport, c.Downloads = newTransport(t, options, false), newTransport(t, options, true)
	for _, change := range changes {
		change(&c)
	}
	client := &jobs.Client{Client: api.New(c.Config), Links: c.Links}
	t.Cleanup(client.Close)
	return client
}

func newTransport(t testing.TB, options httpclient.Options, streaming bool) *transport.Client {
	t.Helper()
	client, err := transport.New(transport.Options{
		HTTP: options,
		Service: transport.Service{Title: "The tuning gateway", Credential: "inference API key",
			Section: "Fine-tuning"},
		Authorize: transport.Bearer(key),
		Streaming: streaming,
	})
	require.NoError(t, err)
	return client
}

// dataQuery is a query over the day before noon.
func dataQuery(t testing.TB, saved object) backend.DataQuery {
	t.Helper()
	encoded, err := json.Marshal(saved)
	require.NoError(t, err)
	return backend.DataQuery{RefID: "A", JSON: encoded, TimeRange: backend.TimeRange{From: noon.Add(-24 * time.Hour), To: noon}}
}

// queryData runs a saved query.
func queryData(c *jobs.Client, ctx context.Context, queryType string, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	saved.QueryType = queryType
	return c.QueryData(ctx, saved, alerting)
}

func try(t testing.TB, c *jobs.Client, queryType string, saved object) (data.Frames, error) {
	t.Helper()
	return queryData(c, context.Background(), queryType, dataQuery(t, saved), false)
}

func fetch(t testing.TB, c *jobs.Client, queryType string, saved object) data.Frames {
	t.Helper()
	frames, err := try(t, c, queryType, saved)
	require.NoError(t, err)
	require.NotEmpty(t, frames)
	return frames
}

// values are the values of a column, with nil for null. Times are written as the time of day where that is unambiguous.
func values(t testing.TB, frame *data.Frame, name string) []any {
	t.Helper()
	field, _ := frame.FieldByName(name)
	require.NotNil(t, field, "column %s", name)
	all := []any{}
	for i := range field.Len() {
		value, ok := field.ConcreteAt(i)
		if !ok {
			value = nil
		}
		if at, ok := value.(time.Time); ok {
			value = at.Format("15:04")
		}
		all = append(all, value)
	}
	return all
}

func notices(frames data.Frames) string {
	var all []string
	if len(frames) > 0 && frames[0].Meta != nil {
		for _, notice := range frames[0].Meta.Notices {
			all = append(all, notice.Text)
		}
	}
	return strings.Join(all, "\n")
}

// job is a healthy job that ran for two hours, an hour ago.
func job(id string, changes object) object {
	j := object{
		"id": id, "object": "fine_tuning.job", "status": "succeeded", "model": "llama-8b",
		"created_at": ago(3 * time.Hour), "finished_at": ago(time.Hour),
	}
	for name, value := range changes {
		j[name] = value
	}
	return j
}
