package proxy

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const prefix = "/proxy/"

// platform records the last request and responds with handle.
type platform struct {
	handle http.HandlerFunc
	method string
	uri    string
	header http.Header
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.method, p.uri, p.header = r.Method, r.URL.RequestURI(), r.Header.Clone()
	if p.handle != nil {
		p.handle(w, r)
	}
}

func tuningRoutes() []Route {
	bearer := []Header{{Name: "Authorization", Content: "Bearer {{ .SecureJsonData.key }}"}}
	return []Route{
		{Path: "tuning/v1/", Method: http.MethodGet, ReqRole: "Editor", URL: "{{ .JsonData.address }}/v1", Headers: bearer},
		{Path: "tuning/v1/", Method: http.MethodPost, ReqRole: "Editor", URL: "{{ .JsonData.address }}/v1", Headers: bearer},
		{Path: "open", URL: "{{ .JsonData.address }}"},
	}
}

// newGrafana serves a proxy to the given address and returns where its routes begin.
func newGrafana(t *testing.T, address, role string) string {
	t.Helper()
	jsonData, err := json.Marshal(map[string]string{"address": address})
	require.NoError(t, err)
	proxy := New(Config{Routes: tuningRoutes(), Log: hclog.NewNullLogger(), Context: func() backend.PluginContext {
		return backend.PluginContext{
			User: &backend.User{Role: role},
			DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
				JSONData: jsonData, DecryptedSecureJSONData: map[string]string{"key": "the-key"}, Updated: time.Unix(1, 0),
			},
		}
	}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxy.Serve(w, r, strings.TrimPrefix(r.URL.EscapedPath(), prefix))
	}))
	t.Cleanup(server.Close)
	return server.URL + prefix
}

func newPlatform(t *testing.T, handle http.HandlerFunc) (*platform, string) {
	t.Helper()
	p := &platform{handle: handle}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, server.URL
}

type received struct {
	status int
	header http.Header
	body   string
}

func send(t *testing.T, method, address string, body io.Reader) received {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, body)
	require.NoError(t, err)
	for _, name := range []string{"Authorization", "Cookie", "Origin", "X-Of-The-Caller"} {
		request.Header.Set(name, "the caller's")
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return received{response.StatusCode, response.Header, string(content)}
}

func TestRoute_MethodAndPath(t *testing.T) {
	for name, c := range map[string]struct {
		method, path, arrives string
	}{
		"a GET below the route":                  {"GET", "tuning/v1/files?limit=2&after=a%20b", "/v1/files?limit=2&after=a%20b"},
		"a POST below the route":                 {"POST", "tuning/v1/fine_tuning/jobs", "/v1/fine_tuning/jobs"},
		"an escaped path stays escaped":          {"GET", "tuning/v1/files/a%2Fb/content", "/v1/files/a%2Fb/content"},
		"a route for every method":               {"DELETE", "open/thing", "/thing"},
		"another method has no route":            {"DELETE", "tuning/v1/files/a", ""},
		"another path has no route":              {"GET", "api/v1/query", ""},
		"the start of a path alone has no route": {"GET", "tuning/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			upstream, address := newPlatform(t, nil)
			got := send(t, c.method, newGrafana(t, address, "Admin")+c.path, nil)
			if c.arrives == "" {
				assert.Equal(t, http.StatusBadGateway, got.status)
			} else {
				assert.Equal(t, http.StatusOK, got.status)
			}
			assert.Equal(t, c.arrives, upstream.uri)
		})
	}
}

func TestRoute_Role(t *testing.T) {
	for role, status := range map[string]int{"Viewer": 403, "": 403, "Editor": 200, "Admin": 200} {
		_, address := newPlatform(t, nil)
		got := send(t, http.MethodGet, newGrafana(t, address, role)+"tuning/v1/models", nil)
		assert.Equal(t, status, got.status, role)
	}
}

func TestProxy_Headers(t *testing.T) {
	upstream, address := newPlatform(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "session=1")
	})
	got := send(t, http.MethodGet, newGrafana(t, address, "Editor")+"tuning/v1/models", nil)
	assert.Equal(t, "Bearer the-key", upstream.header.Get("Authorization"))
	assert.Equal(t, "the caller's", upstream.header.Get("X-Of-The-Caller"))
	assert.Empty(t, upstream.header.Values("Cookie"))
	assert.Empty(t, upstream.header.Values("Origin"))
	assert.Empty(t, got.header.Values("Set-Cookie"))
	assert.Equal(t, "sandbox", got.header.Get("Content-Security-Policy"))
}

func TestProxy_Statuses(t *testing.T) {
	for upstreams, want := range map[int]int{200: 200, 404: 404, 429: 429, 503: 503, 401: 400} {
		_, address := newPlatform(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(upstreams)
			_, _ = io.WriteString(w, "as it is")
		})
		got := send(t, http.MethodGet, newGrafana(t, address, "Editor")+"tuning/v1/models", nil)
		assert.Equal(t, want, got.status)
		if upstreams == http.StatusUnauthorized {
			assert.Equal(t, refused, got.body)
		} else {
			assert.Equal(t, "as it is", got.body)
		}
	}
}

func TestProxy_NoPlatform(t *testing.T) {
	for name, address := range map[string]string{"no address": "", "nobody there": "http://127.0.0.1:1"} {
		t.Run(name, func(t *testing.T) {
			got := send(t, http.MethodGet, newGrafana(t, address, "Editor")+"tuning/v1/models", nil)
			assert.Equal(t, http.StatusBadGateway, got.status)
		})
	}
}

func TestProxy_StreamsUploads(t *testing.T) {
	arrived := make(chan struct{})
	_, address := newPlatform(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadFull(r.Body, make([]byte, 5))
		close(arrived)
		_, _ = io.Copy(io.Discard, r.Body)
	})
	body, upload := io.Pipe()
	go func() {
		_, _ = io.WriteString(upload, "first")
		// Nothing more is sent before the beginning has arrived.
		<-arrived
		_, _ = io.WriteString(upload, "last")
		_ = upload.Close()
	}()
	got := send(t, http.MethodPost, newGrafana(t, address, "Editor")+"tuning/v1/files", body)
	assert.Equal(t, http.StatusOK, got.status)
}

func TestProxy_StreamsDownloads(t *testing.T) {
	read := make(chan struct{})
	_, address := newPlatform(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "first")
		_ = http.NewResponseController(w).Flush()
		// Nothing more is made before the beginning has been read.
		<-read
		_, _ = io.WriteString(w, "last")
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, newGrafana(t, address, "Editor")+"tuning/v1/files/a/content", nil)
	require.NoError(t, err)
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	_, err = io.ReadFull(response.Body, make([]byte, 5))
	require.NoError(t, err)
	close(read)
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, "last", string(rest))
}
