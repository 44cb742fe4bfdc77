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

// moved redirects to a path of the same origin, which serves the platform.
func moved(healthy http.Handler) http.Handler {
	away := redirected(func(r *http.Request) string { return "/moved" + r.URL.RequestURI() })(nil)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/moved/") {
			away.ServeHTTP(w, r)
			return
		}
		http.StripPrefix("/moved", healthy).ServeHTTP(w, r)
	})
}

func toNowhere(r *http.Request) string { return "http://user:" + monitoringToken + "@%zz" + r.URL.Path }

func redirectFaults() []fault {
	signed := "a signature is valid for the signed path only"
	return []fault{
		{name: "to the same origin", complete: true, inject: moved, exceptions: map[string]string{
			"Main API query": signed, "Main API annotation": signed, "Main API variable": signed, "Main API health": signed,
		}},
		{name: "to another port", serve: toOther("127.0.0.1")},
		{name: "to another host", serve: toOther("localhost")},
		{name: "in a loop", inject: redirected(func(r *http.Request) string { return r.URL.RequestURI() })},
		{name: "to an invalid address", inject: redirected(toNowhere)},
		{name: "without a location", inject: status(http.StatusFound)},
		{name: "not modified (304)", inject: status(http.StatusNotModified)},
	}
}
