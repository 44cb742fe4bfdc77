package transport_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// overHTTP2 serves the first request with fail, and all others successfully.
func overHTTP2(t *testing.T, fail func(*http2Server, http.ResponseWriter, *http.Request)) (*http2Server, *transport.Client) {
	t.Helper()
	s := &http2Server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			w.WriteHeader(http.StatusHTTPVersionNotSupported)
			return
		}
		if s.calls.Add(1) == 1 {
			fail(s, w, r)
			return
		}
		_, _ = fmt.Fprint(w, "recovered")
	}))
	s.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateActive {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.conn = conn
		}
	}
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, newClient(t, func(o *transport.Options) { o.HTTP.TLS = &httpclient.TLSOptions{InsecureSkipVerify: true} })
}

type http2Server struct {
	*httptest.Server
	calls atomic.Int32
	mu    sync.Mutex
	conn  net.Conn
}

func TestHTTP2_AbortedRequest(t *testing.T) {
	for name, fail := range map[string]func(*http2Server, http.ResponseWriter, *http.Request){
		"its stream is reset": func(*http2Server, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"its connection ends": func(s *http2Server, _ http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			_ = s.conn.Close()
			s.mu.Unlock()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := overHTTP2(t, fail)
			body, err := get(t, client, server.URL)
			require.NoError(t, err)
			require.Equal(t, "recovered", body)
			require.EqualValues(t, 2, server.calls.Load())
		})
	}
}

func TestHTTP2_AbortedResponse(t *testing.T) {
	server, client := overHTTP2(t, func(_ *http2Server, w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	_, err := get(t, client, server.URL)
	require.ErrorIs(t, err, transport.ErrMalformed)
	require.ErrorContains(t, err, "sent an incomplete response")
	require.EqualValues(t, 1, server.calls.Load())
}
