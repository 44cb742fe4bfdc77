package faults

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

var discardLog = log.New(io.Discard, "", 0)

// otherOriginRequests counts requests to other origins, which must not get a credential.
var otherOriginRequests atomic.Int32

// redirected redirects every request.
func redirected(to func(r *http.Request) string) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", to(r))
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
	}
}

// toOther redirects to another server, by another port or by another name of the same machine.
func toOther(name string) func(*testing.T, http.Handler) target {
	return func(t *testing.T, _ http.Handler) target {
		t.Helper()
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { otherOriginRequests.Add(1) }))
		t.Cleanup(other.Close)
		to := strings.Replace(other.URL, "127.0.0.1", name, 1)
		server := httptest.NewServer(redirected(func(r *http.Request) string { return to + r.URL.RequestURI() })(nil))
		t.Cleanup(server.Close)
		return target{address: server.URL}
	}
}

func toNowhere(r *http.Request) string { return "http://user:" + monitoringToken + "@%zz" + r.URL.Path }

func redirectFaults() []fault {
	return []fault{
		{name: "to the same origin", inject: redirected(func(r *http.Request) string { return "/moved" + r.URL.RequestURI() })},
		{name: "to another port", serve: toOther("127.0.0.1")},
		{name: "to another host", serve: toOther("localhost")},
		{name: "in a loop", inject: redirected(func(r *http.Request) string { return r.URL.RequestURI() })},
		{name: "to an invalid address", inject: redirected(toNowhere)},
		{name: "without a location", inject: status(http.StatusFound)},
		{name: "not modified (304)", inject: status(http.StatusNotModified)},
	}
}
