package transport_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClose_IdleConnections(t *testing.T) {
	closed := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := newClient(t, nil)
	_, err := get(t, client, server.URL)
	require.NoError(t, err)
	require.Empty(t, closed, "the connection is kept for the next request")

	client.Close()

	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		require.Fail(t, "the connection is still open")
	}
}
