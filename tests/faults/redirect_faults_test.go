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

var quiet = log.New(io.Discard, "", 0)

// elsewhere counts requests at places where no credential may go.
var elsewhere atomic.Int32

// redirected sends every request on: to the place that to makes of the platform's own.
func redirected(to func(r *http.Request) string) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", to(r))
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
	}
}

// toOther redirects to another server, by another port or by another name of the same machine.
func toOther(name string) func(*testing.T, http.Handler) place {
	return func(t *testing.T, _ http.Handler) place {
		t.Helper()
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
		t.Cleanup(other.Close)
		target := strings.Replace(other.URL, "127.0.0.1", name, 1)
		server := httptest.NewServer(redirected(func(r *http.Request) string { return target + r.URL.RequestURI() })(nil))
		t.Cleanup(server.Close)
		return place{address: server.URL}
	}
}

// moved redirects to a path of the same origin, where the platform answers.
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
	const group = "The platform redirects"
	signed := "a signature counts for the path that was signed"
	return []fault{
		{group: group, name: "to the same origin", whole: true, spoil: moved, but: map[string]string{
			"Main API query": signed, "Main API annotation": signed, "Main API variable": signed, "Main API health": signed,
		}},
		{group: group, name: "to another port", start: toOther("127.0.0.1")},
		{group: group, name: "to another host", start: toOther("localhost")},
		{group: group, name: "in a circle", spoil: redirected(func(r *http.Request) string { return r.URL.RequestURI() })},
		{group: group, name: "to an address that is none", spoil: redirected(toNowhere)},
		{group: group, name: "without saying where", spoil: status(http.StatusFound)},
		{group: group, name: "to what it sent before (304)", spoil: status(http.StatusNotModified)},
	}
}
