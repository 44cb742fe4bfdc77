package faults

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

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
