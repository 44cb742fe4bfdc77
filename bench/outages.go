package main

import (
	"context"
	"math/rand/v2"
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
	name  string
	fault platform.Fault
}

func allOutages() []outage {
	return []outage{
		{"500", platform.Fault{Status: 500}},
		{"503", platform.Fault{Status: 503}},
		{"504", platform.Fault{Status: 504}},
		{"429", platform.Fault{Status: 429}},
		{"429 with a wait", platform.Fault{Status: 429, Headers: map[string]string{"Retry-After": "1"}}},
		{"401", platform.Fault{Status: 401}},
		{"404", platform.Fault{Status: 404}},
		{"hang", platform.Fault{Kind: platform.FaultHang}},
		{"late", platform.Fault{Kind: platform.FaultDelay, Delay: time.Second}},
		{"cut body", platform.Fault{Kind: platform.FaultCutBody}},
		{"reset", platform.Fault{Kind: platform.FaultReset}},
		{"some resets", platform.Fault{Kind: platform.FaultReset, Times: 20}},
		{"slow body", platform.Fault{Kind: platform.FaultSlowBody, Delay: 2 * time.Second}},
		{"web page", platform.Fault{Kind: platform.FaultHTML, Status: 200}},
		{"redirect", platform.Fault{Kind: platform.FaultRedirect, Location: "http://elsewhere.invalid/"}},
		{"empty body", platform.Fault{Status: 200}},
		{"gzip bomb", whiteSpace.fault()},
	}
}

// faultyPlatform is a simulated platform that fails for a while now and then.
type faultyPlatform struct {
	*platform.Platform
	server *httptest.Server
	// fails: an outage is on; calmSince is when the last one ended, in Unix nanoseconds.
	fails     atomic.Bool
	calmSince atomic.Int64
}

func newFaultyPlatform(config platform.Config) *faultyPlatform {
	p := &faultyPlatform{Platform: platform.New(config)}
	p.server = httptest.NewServer(p.Platform)
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
	if p.fails.Load() {
		return 0
	}
	return max(0, moment.Sub(time.Unix(0, p.calmSince.Load())))
}

// fail has one service, or all, fail for a while.
func (p *faultyPlatform) fail(ctx context.Context, fault platform.Fault, service string, length time.Duration) {
	p.fails.Store(true)
	fault.Service = service
	p.Inject(fault)
	wait(ctx, length)
	p.ClearFaults()
	p.calmSince.Store(time.Now().UnixNano())
	p.fails.Store(false)
}

// outages come again and again until the context ends, each kind as often as the others.
func (s *soakScene) outages(ctx context.Context) {
	between := func(least, most time.Duration) time.Duration {
		return least + rand.N(most-least) //nolint:gosec // nothing secret depends on it
	}
	services := []string{"", platform.ServiceMetrics, platform.ServiceTuning, platform.ServiceMain}
	all := allOutages()
	for {
		for i, kind := range rand.Perm(len(all)) { //nolint:gosec // nothing secret depends on it
			if !wait(ctx, between(calmAtLeast, calmAtMost)) {
				return
			}
			s.platform.fail(ctx, all[kind].fault, services[i%len(services)], between(outageAtLeast, outageAtMost))
			s.mu.Lock()
			s.faults[all[kind].name]++
			s.mu.Unlock()
		}
	}
}
