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

// poisoned puts a proxy before the platform that does something to the stream of its answers.
//
// Format of toxics: https://github.com/Shopify/toxiproxy#toxics
func poisoned(toxics ...string) func(*testing.T, http.Handler) place {
	return func(t *testing.T, platform http.Handler) place {
		t.Helper()
		server := httptest.NewServer(padded(platform))
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
		return place{address: "http://" + proxy.Listen}
	}
}

// padded makes the head of each answer longer than what the toxics below let through.
func padded(platform http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Padding", strings.Repeat("-", 1024))
		platform.ServeHTTP(w, r)
	})
}

func toxicFaults() []fault {
	const group = "The network is bad"
	return []fault{
		{group: group, name: "the connection ends in the middle of the head", start: poisoned(`{"type":"limit_data","attributes":{"bytes":512}}`)},
		{group: group, name: "the connection is reset while the answer comes", start: poisoned(`{"type":"reset_peer","attributes":{"timeout":50}}`)},
		{group: group, name: "nothing comes through", start: poisoned(`{"type":"timeout","attributes":{"timeout":0}}`)},
		{group: group, name: "latency and jitter", whole: true, start: poisoned(`{"type":"latency","attributes":{"latency":60,"jitter":40}}`)},
		{group: group, name: "answers in small pieces", whole: true, start: poisoned(`{"type":"slicer","attributes":{"average_size":600,"size_variation":200,"delay":10}}`)},
		{group: group, name: "connections that close late", whole: true, start: poisoned(`{"type":"slow_close","attributes":{"delay":200}}`)},
	}
}
