// Package served runs a simulated platform for tests: over HTTP, with a clock that is moved by hand.
package served

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// Begun is when the platform begins: a Wednesday afternoon.
var Begun = time.Date(2026, 5, 20, 15, 4, 5, 0, time.UTC)

// Platform is served until its test ends.
type Platform struct {
	*platform.Platform
	Server *httptest.Server
	clock  atomic.Int64 // Unix milliseconds
}

// Start serves a platform, which begins at [Begun].
func Start(t *testing.T, config platform.Config) *Platform {
	t.Helper()
	p := &Platform{}
	p.Set(Begun)
	config.Now = p.Now
	p.Platform = platform.New(config)
	p.Server = httptest.NewServer(p.Platform)
	t.Cleanup(func() {
		p.ClearFaults()
		p.Server.Close()
	})
	return p
}

// Series returns the labels of the series that an instant query finds, with "value" for its value.
func (p *Platform) Series(t *testing.T, query string) []Object {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Server.URL+p.MetricsPath()+"?query="+url.QueryEscape(query), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.Config().MonitoringToken)
	response, err := p.Server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var o Object
	if err := json.NewDecoder(response.Body).Decode(&o); err != nil {
		t.Fatalf("%s: status %d: %v", query, response.StatusCode, err)
	}
	var all []Object
	for _, one := range o.Object("data").List("result") {
		found := one.Object("metric")
		found["value"] = one["value"].([]any)[1]
		all = append(all, found)
	}
	return all
}

// Now is the platform's time.
func (p *Platform) Now() time.Time { return time.UnixMilli(p.clock.Load()).UTC() }

// Set moves the clock to a time.
func (p *Platform) Set(now time.Time) { p.clock.Store(now.UnixMilli()) }

// Wait moves the clock on.
func (p *Platform) Wait(d time.Duration) { p.clock.Add(d.Milliseconds()) }

// Object is a JSON object. What it does not have is empty.
type Object map[string]any

// Object is an inner object.
func (o Object) Object(name string) Object {
	inner, _ := o[name].(map[string]any)
	return inner
}

// Number is a number.
func (o Object) Number(name string) float64 {
	n, _ := o[name].(float64)
	return n
}

// Text is a text.
func (o Object) Text(name string) string {
	s, _ := o[name].(string)
	return s
}

// List is a list of objects.
func (o Object) List(name string) []Object {
	var all []Object
	members, _ := o[name].([]any)
	for _, member := range members {
		all = append(all, member.(map[string]any))
	}
	return all
}
