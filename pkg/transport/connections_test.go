package transport_test

import (
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestHTTP2_Negotiated(t *testing.T) {
	for name, test := range map[string]struct {
		offered  bool
		protocol string
	}{
		"offered":     {true, "HTTP/2.0"},
		"not offered": {false, "HTTP/1.1"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, r.Proto)
			}))
			server.EnableHTTP2 = test.offered
			server.StartTLS()
			defer server.Close()
			client := newClient(t, func(o *transport.Options) {
				o.HTTP.TLS = &httpclient.TLSOptions{InsecureSkipVerify: true}
			})
			protocol, err := get(t, client, server.URL)
			require.NoError(t, err)
			require.Equal(t, test.protocol, protocol)
		})
	}
}

func TestConnections_Reused(t *testing.T) {
	const atOnce, rounds = 8, 5
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		writer := gzip.NewWriter(w)
		_, _ = io.WriteString(writer, strings.Repeat(r.URL.Path, 1000))
		_ = writer.Close()
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := newClient(t, func(o *transport.Options) { o.HTTP.Timeouts = &httpclient.DefaultTimeoutOptions })
	for range rounds {
		var group sync.WaitGroup
		bodies := make([]string, atOnce)
		failures := make([]error, atOnce)
		for i := range atOnce {
			group.Go(func() { bodies[i], failures[i] = get(t, client, server.URL+"/"+strings.Repeat("x", i+1)) })
		}
		group.Wait()
		for i, body := range bodies {
			require.NoError(t, failures[i])
			// Decoders are pooled, and must not mix up bodies.
			require.Equal(t, strings.Repeat("/"+strings.Repeat("x", i+1), 1000), body)
		}
	}
	// A request may open another just before one that is free is back in the pool, but not forty open forty.
	require.LessOrEqual(t, opened.Load(), int32(2*atOnce))
}

func TestBody_ReadAfterEOF(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		writer := gzip.NewWriter(w)
		_, _ = io.WriteString(writer, "hello")
		_ = writer.Close()
	})
	resp, err := newClient(t, nil).Send(t.Context(), parsed(t, server.URL), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	_, err = io.ReadAll(resp.Body)
	require.NoError(t, err)
	_, err = resp.Body.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
}
