package faults

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// reset resets the connection after this part of the response.
func reset(sent float64) func(http.Handler) http.Handler {
	return rewrite(func(response *httptest.ResponseRecorder, w http.ResponseWriter) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		if sent > 0 {
			body := response.Body.Bytes()
			head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
			_, _ = conn.Write(append([]byte(head), body[:int(sent*float64(len(body)))]...))
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // RST instead of FIN
		}
		_ = conn.Close()
	})
}

// cutHeader closes the connection within the header of a response.
func cutHeader(_ *httptest.ResponseRecorder, w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application"))
	_ = conn.Close()
}

// refusedPort is a port without a listener. A connection of the test occupies it, so that no other server gets it.
func refusedPort(t *testing.T, _ http.Handler) target {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	taken, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	return target{address: "http://" + taken.LocalAddr().String()}
}

// unknownHost has a name that is too long for DNS, so that there is no request to a name server.
func unknownHost(*testing.T, http.Handler) target {
	return target{address: "http://" + strings.Repeat("a", 64) + ".invalid"}
}

func connectionFaults() []fault {
	notRetried := "a health check is not retried"
	health := map[string]string{"Metrics health": notRetried, "Fine-tuning health": notRetried, "Main API health": notRetried}
	return []fault{
		{name: "unknown host name", serve: unknownHost},
		{name: "connection refused", serve: refusedPort},
		{name: "reset before the response", inject: reset(0)},
		{name: "closed within the header", inject: rewrite(cutHeader)},
		{name: "reset before the response, once", complete: true, exceptions: health, inject: first(reset(0))},
		{name: "reset within the body", inject: reset(0.5)},
	}
}

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
