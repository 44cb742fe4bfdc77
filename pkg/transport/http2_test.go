package transport_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

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

// goingAway ends the first connection like a server that shuts down during a request: GOAWAY, then the end.
type goingAway struct {
	net.Listener
	server *httptest.Server
	first  chan struct{}
}

func (g *goingAway) Accept() (net.Conn, error) {
	conn, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case g.first <- struct{}{}:
	default:
		return conn, nil
	}
	config := g.server.TLS.Clone()
	config.NextProtos = []string{"h2"}
	go func() {
		defer func() { _ = conn.Close() }()
		encrypted := tls.Server(conn, config)
		if _, err := io.ReadFull(encrypted, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		framer := http2.NewFramer(encrypted, encrypted)
		_ = framer.WriteSettings()
		for {
			frame, err := framer.ReadFrame()
			if err != nil {
				return
			}
			if frame.Header().Type == http2.FrameHeaders {
				_ = framer.WriteGoAway(frame.Header().StreamID, http2.ErrCodeNo, nil)
				return
			}
		}
	}()
	return g.Accept()
}

func TestHTTP2_GoAway(t *testing.T) {
	server := httptest.NewUnstartedServer(respondWith(http.StatusOK, "text/plain", "recovered"))
	away := &goingAway{Listener: server.Listener, server: server, first: make(chan struct{}, 1)}
	server.Listener = away
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	client := newClient(t, func(o *transport.Options) { o.HTTP.TLS = &httpclient.TLSOptions{InsecureSkipVerify: true} })
	body, err := get(t, client, server.URL)
	require.NoError(t, err)
	require.Equal(t, "recovered", body)
	require.Len(t, away.first, 1, "the first connection went away")
}
