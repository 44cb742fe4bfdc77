package faults

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reset drops the connection without a word, after sending this much of the answer.
func reset(sent float64) func(http.Handler) http.Handler {
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Accept-Encoding")
			answer := httptest.NewRecorder()
			healthy.ServeHTTP(answer, r)
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			if sent > 0 {
				body := answer.Body.Bytes()
				head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
				_, _ = conn.Write(append([]byte(head), body[:int(sent*float64(len(body)))]...))
			}
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // a reset, not an orderly end
			}
			_ = conn.Close()
		})
	}
}

// nowhere is a port that nobody listens at. A connection of ours has it, so that no other test's server gets it.
func nowhere(t *testing.T, _ http.Handler) place {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	taken, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	return place{address: "http://" + taken.LocalAddr().String()}
}

// unknownHost has a name that no name server can know, so that none is asked.
func unknownHost(*testing.T, http.Handler) place {
	return place{address: "http://" + strings.Repeat("a", 64) + ".invalid"}
}

func connectionFaults() []fault {
	const group = "There is no connection"
	notRetried := "a health check is not retried: it says what it finds"
	health := map[string]string{"Metrics health": notRetried, "Fine-tuning health": notRetried, "Main API health": notRetried}
	return []fault{
		{group: group, name: "a host name that isn't known", start: unknownHost},
		{group: group, name: "a connection that is refused", start: nowhere},
		{group: group, name: "a reset without an answer", spoil: reset(0)},
		{group: group, name: "a reset without an answer, once", whole: true, but: health, spoil: first(reset(0))},
		{group: group, name: "a reset in the middle of the body", spoil: reset(0.5)},
	}
}
