package faults

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// withToxics serves the platform behind a proxy that disturbs its responses.
//
// Format of toxics: https://github.com/Shopify/toxiproxy#toxics
func withToxics(toxics ...string) func(*testing.T, http.Handler) target {
	return func(t *testing.T, platform http.Handler) target {
		t.Helper()
		server := httptest.NewServer(withPadding(platform))
		proxy := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "platform", "127.0.0.1:0", server.Listener.Addr().String())
		require.NoError(t, proxy.Start())
		t.Cleanup(func() {
			proxy.Stop()
			server.CloseClientConnections()
			server.Close()
		})
		for _, toxic := range toxics {
			_, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic))
			require.NoError(t, err)
		}
		return target{address: "http://" + proxy.Listen}
	}
}

// withPadding makes the header of each response longer than the limit of the toxics below.
func withPadding(platform http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Padding", strings.Repeat("-", 1024))
		platform.ServeHTTP(w, r)
	})
}

func toxicFaults() []fault {
	const group = "The network is unreliable"
	return []fault{
		{group: group, name: "connection closed within the header", serve: withToxics(`{"type":"limit_data","attributes":{"bytes":512}}`)},
		{group: group, name: "connection reset within the response", serve: withToxics(`{"type":"reset_peer","attributes":{"timeout":50}}`)},
		{group: group, name: "no bytes", settings: short, serve: withToxics(`{"type":"timeout","attributes":{"timeout":0}}`)},
		{group: group, name: "latency and jitter", complete: true, serve: withToxics(`{"type":"latency","attributes":{"latency":60,"jitter":40}}`)},
		{group: group, name: "response in small pieces", complete: true, serve: withToxics(`{"type":"slicer","attributes":{"average_size":600,"size_variation":200,"delay":10}}`)},
		{group: group, name: "connections that close slowly", complete: true, serve: withToxics(`{"type":"slow_close","attributes":{"delay":200}}`)},
	}
}
