package faults

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// fault is something that goes wrong with every request of a cell, or with the first.
type fault struct {
	// group and name are the heading and the row of docs/develop/faults.md.
	group, name string
	// whole tells that people get the whole answer all the same.
	whole bool
	// but are doors, by service and name, of which the opposite is true, with the reason.
	but map[string]string
	// spoil makes a faulty platform of a healthy one.
	spoil func(healthy http.Handler) http.Handler
	// start runs the platform; nil is a plain HTTP server.
	start func(t *testing.T, platform http.Handler) place
}

// place is where a data source is to find the platform.
type place struct {
	address  string
	settings values
	secrets  map[string]string
}

// wholeFor tells whether a door is expected to give the whole answer.
func (f fault) wholeFor(d door) bool {
	if _, opposite := f.but[d.service+" "+d.name]; opposite {
		return !f.whole
	}
	return f.whole
}

func (f fault) run(t *testing.T, healthy http.Handler) place {
	t.Helper()
	faulty := healthy
	if f.spoil != nil {
		faulty = f.spoil(healthy)
	}
	if f.start != nil {
		return f.start(t, faulty)
	}
	server := httptest.NewServer(faulty)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return place{address: server.URL}
}

// faults are all of them.
func faults() []fault {
	var all []fault
	for _, some := range [][]fault{statusFaults(), bodyFaults(), slowFaults(), connectionFaults(), tlsFaults(), redirectFaults(), toxicFaults()} {
		all = append(all, some...)
	}
	return all
}
