package main

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// replayed is a platform that costs next to nothing, so that the machine is the backend's: it evaluates each query once. What
// follows # in a query, a comment, doesn't count, so that many queries can differ and cost one.
type replayed struct {
	server   *httptest.Server
	platform *platform.Platform
	latency  time.Duration
	requests atomic.Int64

	mu     sync.Mutex
	bodies map[string]*replayedBody
}

type replayedBody struct {
	once     sync.Once
	recorded *httptest.ResponseRecorder
}

func newReplayed(latency time.Duration, c platform.Config) *replayed {
	p := &replayed{platform: platform.New(c), latency: latency, bodies: map[string]*replayedBody{}}
	p.server = httptest.NewServer(p)
	return p
}

func (p *replayed) close() { p.server.Close() }

func (p *replayed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	params := r.URL.Query()
	expr, _, _ := strings.Cut(params.Get("query"), "#")
	params.Set("query", expr)
	r.URL.RawQuery = params.Encode()
	p.mu.Lock()
	body := p.bodies[r.URL.String()]
	if body == nil {
		body = &replayedBody{}
		p.bodies[r.URL.String()] = body
	}
	p.mu.Unlock()
	body.once.Do(func() {
		body.recorded = httptest.NewRecorder()
		p.platform.ServeHTTP(body.recorded, r)
	})
	time.Sleep(p.latency)
	maps.Copy(w.Header(), body.recorded.Header())
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	w.WriteHeader(body.recorded.Code)
	_, _ = bytes.NewReader(body.recorded.Body.Bytes()).WriteTo(w)
}
