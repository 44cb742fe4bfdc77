package faults

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// cellsAtOnce is the number of concurrent cells, most of which wait.
const cellsAtOnce = 128

// patience is how much longer a call may take than the data source's timeout, so that the latter ends a cell.
const patience = 5 * time.Second

type cell struct {
	fault    fault
	endpoint endpoint
	got      outcome
}

// TestFaultMatrix calls every endpoint with every fault, and compares the outcomes with testdata/messages.txt.
//
// An outcome is an error, or the same result as without the fault. It contains no secret, no address and no data of the user.
func TestFaultMatrix(t *testing.T) {
	guarded := newLeakGuard(healthy())
	normal := map[string]string{}
	for _, d := range endpoints {
		got := fault{}.try(t, guarded, d)
		if got.failed {
			t.Fatalf("%s, %s fails without a fault: %s", d.service, d.name, got.text)
		}
		if got.complete == "" {
			t.Fatalf("%s, %s is empty without a fault", d.service, d.name)
		}
		normal[d.service+d.name] = got.complete
	}
	gzipBombBody() // before it is needed
	cells := tryAll(t, guarded)
	saved := savedMessages(t)
	for i := range cells {
		// What could not be read in time beside the other cells can be alone.
		c := &cells[i]
		incomplete := c.fault.completeFor(c.endpoint) && c.got.complete != normal[c.endpoint.service+c.endpoint.name]
		if incomplete || !strings.Contains(saved, messagesOf(cells, c.fault, c.endpoint.service)) {
			c.got = c.fault.try(t, guarded, c.endpoint)
		}
	}
	for _, c := range cells {
		t.Run(strings.Join([]string{c.endpoint.service, c.endpoint.name, c.fault.name}, "/"), func(t *testing.T) {
			c.check(t, normal[c.endpoint.service+c.endpoint.name])
		})
	}
	assert.Zero(t, otherOriginRequests.Load(), "there were requests to another origin")
	assert.Contains(t, logged.String(), "A query failed")
	requireNone(t, "the log", logged.String(), secrets, userData, hosts, []string{inQuery})
	for _, leak := range guarded.leaks() {
		t.Error(leak)
	}
	compareMessages(t, cells)
}

// tryAll calls each endpoint with each fault.
func tryAll(t *testing.T, platform http.Handler) []cell {
	t.Helper()
	var cells []cell
	for _, f := range faults() {
		for _, d := range endpoints {
			cells = append(cells, cell{fault: f, endpoint: d})
		}
	}
	var group errgroup.Group
	group.SetLimit(cellsAtOnce)
	for i := range cells {
		if cells[i].fault.waits {
			cells[i].got = cells[i].fault.try(t, platform, cells[i].endpoint)
			continue
		}
		group.Go(func() error {
			cells[i].got = cells[i].fault.try(t, platform, cells[i].endpoint)
			return nil
		})
	}
	_ = group.Wait()
	return cells
}

// try calls an endpoint of a new data source.
func (f fault) try(t *testing.T, platform http.Handler, d endpoint) (got outcome) {
	t.Helper()
	if f.waits {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(span.To.Add(2 * time.Hour))) // a virtual clock begins in 2000
			got = d.call(datasource.InMemory(t.Context(), f.inject(platform).ServeHTTP), newDatasource(t, datasource.Nowhere, f.settings, nil))
		})
		return got
	}
	at := f.run(t, platform)
	seconds := timeout
	if own, ok := at.settings["timeout"].(int); ok {
		seconds = own
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second+patience)
	defer cancel()
	got = d.call(ctx, newDatasource(t, at.address, at.settings, at.secrets))
	got.complete = took.ReplaceAllString(got.complete, "")
	return got
}

// took matches the differences between two outcomes without a fault: the duration of a health check, the date, and the length
// of a download, which is unknown with a content coding. The bytes of the download are compared.
var took = regexp.MustCompile(`( took|"asOf":) ?\d+( ms)?|Content-Length \[\d+\]\n`)

func (c cell) check(t *testing.T, normal string) {
	t.Helper()
	if c.fault.completeFor(c.endpoint) {
		assert.False(t, c.got.failed, c.got.text)
		if at := differ(normal, c.got.complete); c.fault.complete && c.endpoint.name != "health" && at >= 0 {
			t.Errorf("not the same as without the fault, from byte %d of %d and %d: %q, usually %q",
				at, len(c.got.complete), len(normal), excerpt(c.got.complete, at), excerpt(normal, at))
		}
		return
	}
	assert.True(t, c.got.failed, "a failure must not look like a result: %.300s", c.got.complete)
	if c.got.status >= 300 { // otherwise the header was sent before the error, so that there is no message
		assert.Regexp(t, `^[A-Z].*[.!?…]$|: .+$|^`+platformMessage+`$`, c.got.text, "a sentence")
	}
	assert.NotContains(t, c.got.text, "WITH ")
	assert.NotContains(t, c.got.text, "unexpected error")
	if c.got.source != "" || strings.HasSuffix(c.endpoint.name, "query") {
		assert.Equal(t, backend.ErrorSourceDownstream, c.got.source)
	}
	if c.endpoint.name != "health" {
		assert.True(t, c.got.status >= 400 || c.got.cutOff() && c.endpoint.name == "download", "status %d", c.got.status)
		requireNone(t, "the response", c.got.complete, secrets, userData, hosts, []string{inQuery})
	}
	requireNone(t, "the sentence", c.got.text, secrets, userData, hosts, []string{inQuery})
}

// differ is the index of the first difference of two texts, or -1.
func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}

func excerpt(text string, at int) string { return text[max(0, at-30):min(len(text), at+60)] }

// newLeakGuard forwards requests, and records those with data of the user or with a secret of another service.
func newLeakGuard(platform http.Handler) *leakGuard { return &leakGuard{Handler: platform} }

type leakGuard struct {
	http.Handler
	mu    sync.Mutex
	found []string
}

func (g *leakGuard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var all strings.Builder
	_ = r.Header.Write(&all)
	text := all.String() + r.URL.String()
	for _, word := range userData {
		if strings.Contains(text, word) {
			g.note("the platform learns " + word)
		}
	}
	meantFor := map[string]bool{
		monitoringToken: strings.Contains(r.URL.Path, "/metrics/timeseries"),
		inferenceAPIKey: strings.Contains(r.URL.Path, "/intelligence/"),
		secretKey:       false,
	}
	for secret, here := range meantFor {
		if strings.Contains(text, secret) && !here {
			g.note("a secret is sent to a service it is not for: " + secret + " to " + r.URL.Path)
		}
	}
	g.Handler.ServeHTTP(w, r)
}

func (g *leakGuard) note(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.found = append(g.found, text)
}

func (g *leakGuard) leaks() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.found
}

const messages = "testdata/messages.txt"

func savedMessages(t *testing.T) string {
	t.Helper()
	saved, err := os.ReadFile(messages)
	require.NoError(t, err)
	return string(saved)
}

// compareMessages compares testdata/messages.txt with the outcomes, or writes it if the environment variable UPDATE_MESSAGES is set.
func compareMessages(t *testing.T, cells []cell) {
	t.Helper()
	var all strings.Builder
	for i, c := range cells {
		if i == 0 || c.fault.name != cells[i-1].fault.name || c.endpoint.service != cells[i-1].endpoint.service {
			all.WriteString(messagesOf(cells, c.fault, c.endpoint.service))
		}
	}
	if os.Getenv("UPDATE_MESSAGES") != "" {
		require.NoError(t, os.WriteFile(messages, []byte(all.String()), 0o600))
		return
	}
	require.Equal(t, savedMessages(t), all.String(), "UPDATE_MESSAGES=1 go test ./tests/faults writes the file")
}

// messagesOf has a line for each message of a fault, and the endpoints that have it, with their states.
func messagesOf(cells []cell, f fault, service string) string {
	var lines []string
	states := map[string][]string{}
	for _, c := range cells {
		if c.fault.name != f.name || c.endpoint.service != service {
			continue
		}
		message := "_the complete result_"
		if c.got.cutOff() {
			message = "_no message: the connection is closed within the download, which therefore fails_"
		} else if c.got.failed {
			message = durations.ReplaceAllString(c.got.text, "_…_")
		} else if !f.complete {
			message = "_" + f.exceptions[service+" "+c.endpoint.name] + "_"
		}
		if !slices.Contains(lines, message) {
			lines = append(lines, message)
		}
		states[message] = append(states[message], c.endpoint.name+" "+c.got.state())
	}
	text := fmt.Sprintf("%s, %s\n", service, f.name)
	for _, message := range lines {
		text += fmt.Sprintf("  %s\n    %s\n", message, strings.Join(states[message], ", "))
	}
	return text
}

// durations differ from run to run.
var durations = regexp.MustCompile(`(\d+h)?(\d+m)?\d+s\b`)

// fault is a fault of every request of a cell, or of the first one.
type fault struct {
	// name is that of testdata/messages.txt.
	name string
	// complete is true if the result is complete in spite of the fault.
	complete bool
	// exceptions are endpoints, by service and name, with the opposite result, and the reason.
	exceptions map[string]string
	// waits is true if the client waits for seconds: on a virtual clock, without a network.
	waits bool
	// inject adds the fault to a healthy platform.
	inject func(healthy http.Handler) http.Handler
	// settings of the data source that differ, where serve has none.
	settings values
	// serve runs the platform; nil is a plain HTTP server.
	serve func(t *testing.T, platform http.Handler) target
}

// target is the address of the platform, and settings of the data source for it.
type target struct {
	address  string
	settings values
	secrets  map[string]string
}

// completeFor reports whether the result of an endpoint is expected to be complete.
func (f fault) completeFor(d endpoint) bool {
	if _, opposite := f.exceptions[d.service+" "+d.name]; opposite {
		return !f.complete
	}
	return f.complete
}

func (f fault) run(t *testing.T, healthy http.Handler) target {
	t.Helper()
	faulty := healthy
	if f.inject != nil {
		faulty = f.inject(healthy)
	}
	if f.serve != nil {
		at := f.serve(t, faulty)
		if at.settings == nil {
			at.settings = f.settings
		}
		return at
	}
	server := httptest.NewServer(faulty)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return target{address: server.URL, settings: f.settings}
}

// faults are all faults.
func faults() []fault {
	var all []fault
	for _, some := range [][]fault{statusFaults(), bodyFaults(), slowFaults(), connectionFaults(), tlsFaults(), redirectFaults()} {
		all = append(all, some...)
	}
	return all
}
