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
