package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// Outages begin so long after one another, and take so long.
const (
	calmAtLeast   = recovered + 3*time.Second
	calmAtMost    = recovered + 10*time.Second
	outageAtLeast = 2 * time.Second
	outageAtMost  = 10 * time.Second
)

// outage is something that goes wrong for a while.
type outage struct {
	name string
	// fault is the simulator's own; instead answers in its place.
	fault   platform.Fault
	instead http.HandlerFunc
}

var allOutages = []outage{
	{name: "500", fault: platform.Fault{Status: 500}},
	{name: "503", fault: platform.Fault{Status: 503}},
	{name: "504", fault: platform.Fault{Status: 504}},
	{name: "429", fault: platform.Fault{Status: 429}},
	{name: "429 with a wait", fault: platform.Fault{Status: 429, Headers: map[string]string{"Retry-After": "1"}}},
	{name: "401", fault: platform.Fault{Status: 401}},
	{name: "404", fault: platform.Fault{Status: 404}},
	{name: "hang", fault: platform.Fault{Kind: platform.FaultHang}},
	{name: "late", fault: platform.Fault{Kind: platform.FaultDelay, Delay: time.Second}},
	{name: "cut body", fault: platform.Fault{Kind: platform.FaultCutBody}},
	{name: "reset", fault: platform.Fault{Kind: platform.FaultReset}},
	{name: "some resets", fault: platform.Fault{Kind: platform.FaultReset, Times: 20}},
	{name: "slow body", fault: platform.Fault{Kind: platform.FaultSlowBody, Delay: 2 * time.Second}},
	{name: "web page", fault: platform.Fault{Kind: platform.FaultHTML, Status: 200}},
	{name: "redirect", fault: platform.Fault{Kind: platform.FaultRedirect, Location: "http://elsewhere.invalid/"}},
	{name: "empty body", instead: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "application/json") }},
	{name: "gzip bomb", instead: serveBomb(whiteSpace.bytes)},
}

// faultyPlatform is a simulated platform that fails for a while now and then.
type faultyPlatform struct {
	*platform.Platform
	server  *httptest.Server
	instead atomic.Pointer[http.HandlerFunc]
	// ailing tells that an outage is on, and calmSince when the last one ended, in Unix nanoseconds.
	ailing    atomic.Bool
	calmSince atomic.Int64
}

func newFaultyPlatform(config platform.Config) *faultyPlatform {
	p := &faultyPlatform{Platform: platform.New(config)}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if instead := p.instead.Load(); instead != nil {
			(*instead)(w, r)
			return
		}
		p.ServeHTTP(w, r)
	}))
	p.calmSince.Store(time.Now().Add(-time.Hour).UnixNano())
	return p
}

func (p *faultyPlatform) close() {
	p.ClearFaults()
	p.server.CloseClientConnections()
	p.server.Close()
}

// healthyFor is how long before a moment the last outage ended; 0 if one is on, or was between then and now.
func (p *faultyPlatform) healthyFor(moment time.Time) time.Duration {
	if p.ailing.Load() {
		return 0
	}
	return max(0, moment.Sub(time.Unix(0, p.calmSince.Load())))
}

// handleFault lets something go wrong for a while, with one service or with all.
func (p *faultyPlatform) handleFault(ctx context.Context, o outage, service string, length time.Duration) {
	p.ailing.Store(true)
	if o.instead != nil {
		p.instead.Store(&o.instead)
	} else {
		o.fault.Service = service
		p.Inject(o.fault)
	}
	wait(ctx, length)
	p.instead.Store(nil)
	p.ClearFaults()
	p.calmSince.Store(time.Now().UnixNano())
	p.ailing.Store(false)
}

// outages come again and again until the context ends, each kind as often as the others.
func (s *soakScene) outages(ctx context.Context) {
	between := func(least, most time.Duration) time.Duration {
		return least + rand.N(most-least) //nolint:gosec // nothing secret depends on it
	}
	services := []string{"", platform.ServiceMetrics, platform.ServiceTuning, platform.ServiceMain}
	for {
		for i, kind := range rand.Perm(len(allOutages)) { //nolint:gosec // nothing secret depends on it
			if !wait(ctx, between(calmAtLeast, calmAtMost)) {
				return
			}
			s.platform.handleFault(ctx, allOutages[kind], services[i%len(services)], between(outageAtLeast, outageAtMost))
			s.mu.Lock()
			s.faults[allOutages[kind].name]++
			s.mu.Unlock()
		}
	}
}
