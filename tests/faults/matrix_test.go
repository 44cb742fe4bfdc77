package faults

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sync/errgroup"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// cellsAtOnce is how many cells are tried side by side; most of them wait.
const cellsAtOnce = 64

// patience is how long whoever asks waits: longer than the data source's timeout, so that this is what ends a cell.
const patience = (timeout + 5) * time.Second

type cell struct {
	fault fault
	door  door
	got   answer
}

// TestFaultMatrix asks through every door under every fault, and compares what comes with docs/develop/faults.md.
//
// An answer is either a failure that says so, or the same as without the fault. It never holds a secret, an address or
// something about the one who asks.
func TestFaultMatrix(t *testing.T) {
	guarded := watched(healthy())
	normal := map[string]string{}
	for _, d := range doors {
		got := fault{}.try(t, guarded, d)
		if got.failed {
			t.Fatalf("%s, %s fails without a fault: %s", d.service, d.name, got.text)
		}
		if got.whole == "" {
			t.Fatalf("%s, %s is empty without a fault", d.service, d.name)
		}
		normal[d.service+d.name] = got.whole
	}
	bomb() // before anybody waits for it
	cells := tryAll(t, guarded)
	for _, c := range cells {
		t.Run(strings.Join([]string{c.door.service, c.door.name, c.fault.name}, "/"), func(t *testing.T) {
			c.check(t, normal[c.door.service+c.door.name])
		})
	}
	assert.Zero(t, elsewhere.Load(), "requests went where no credential may go")
	requireNone(t, "the log", logged.String(), secrets, personal, hosts, []string{inQuery})
	for _, leak := range guarded.leaks() {
		t.Error(leak)
	}
	compareTable(t, cells)
}

// tryAll tries each door under each fault.
func tryAll(t *testing.T, platform http.Handler) []cell {
	t.Helper()
	var cells []cell
	for _, f := range faults() {
		for _, d := range doors {
			cells = append(cells, cell{fault: f, door: d})
		}
	}
	var group errgroup.Group
	group.SetLimit(cellsAtOnce)
	for i := range cells {
		group.Go(func() error {
			cells[i].got = cells[i].fault.try(t, platform, cells[i].door)
			return nil
		})
	}
	_ = group.Wait()
	return cells
}

// try asks through a door of a data source of its own.
func (f fault) try(t *testing.T, platform http.Handler, d door) answer {
	t.Helper()
	at := f.run(t, platform)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got := d.ask(ctx, newDatasource(t, at.address, at.settings, at.secrets))
	got.whole = took.ReplaceAllString(got.whole, "")
	return got
}

// took is what differs between two answers of a healthy platform: how long a health check took, and when they came. The
// length of a download isn't known where it comes in a content coding; its bytes are compared all the same.
var took = regexp.MustCompile(`(was answered in|"durationMs":|"asOf":) ?\d+( ms)?|Content-Length \[\d+\]\n`)

func (c cell) check(t *testing.T, normal string) {
	t.Helper()
	if c.fault.wholeFor(c.door) {
		assert.False(t, c.got.failed, c.got.text)
		if at := differ(normal, c.got.whole); c.fault.whole && c.door.name != "health" && at >= 0 {
			t.Errorf("not the same as without the fault, from byte %d of %d and %d: %q, usually %q",
				at, len(c.got.whole), len(normal), excerpt(c.got.whole, at), excerpt(normal, at))
		}
		return
	}
	assert.True(t, c.got.failed, "a failure must not look like an answer: %.300s", c.got.whole)
	if c.got.status >= 300 { // else the head has gone out, and nobody reads a sentence
		assert.Regexp(t, `^[A-Z].*[.!?…]$|: .+$|^`+itsWords+`$`, c.got.text, "a sentence")
	}
	assert.NotContains(t, c.got.text, "WITH ")
	assert.NotContains(t, c.got.text, "unexpected error")
	if c.got.source != "" || strings.HasSuffix(c.door.name, "query") {
		assert.Equal(t, backend.ErrorSourceDownstream, c.got.source)
	}
	if c.door.name != "health" {
		assert.True(t, c.got.status >= 400 || c.got.cutOff() && c.door.name == "download", "status %d", c.got.status)
		requireNone(t, "the answer", c.got.whole, secrets, personal, hosts, []string{inQuery})
	}
	requireNone(t, "the sentence", c.got.text, secrets, personal, hosts, []string{inQuery})
}

// differ is where two texts differ first, or -1.
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

// watched passes requests on, and notes which hold what the platform must not learn or what is meant for another service.
func watched(platform http.Handler) *guard { return &guard{Handler: platform} }

type guard struct {
	http.Handler
	mu    sync.Mutex
	found []string
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var all strings.Builder
	_ = r.Header.Write(&all)
	text := all.String() + r.URL.String()
	for _, word := range personal {
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

func (g *guard) note(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.found = append(g.found, text)
}

func (g *guard) leaks() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.found
}
