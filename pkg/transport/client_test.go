package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const token = "t0p-secret$token"

func newClient(t *testing.T, change func(*transport.Options)) *transport.Client {
	t.Helper()
	options := transport.Options{
		// Long enough for machines under load.
		HTTP: httpclient.Options{Timeouts: &httpclient.TimeoutOptions{Timeout: time.Minute, DialTimeout: time.Minute}},
		Service: transport.Service{
			Title: "The metrics endpoint", Credential: "monitoring token",
			Section: "Metrics", Secrets: []string{token},
		},
		Authorize:        transport.Bearer(token),
		MaxResponseBytes: 1 << 20,
	}
	if change != nil {
		change(&options)
	}
	client, err := transport.New(options)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

// get reads a whole response. Its error is that of the request or of reading.
func get(t *testing.T, client *transport.Client, address string) (string, error) {
	t.Helper()
	return send(t.Context(), t, client, address)
}

// once sends a request that is not retried, so that a failure has no wait.
func once(t *testing.T, client *transport.Client, address string) error {
	t.Helper()
	_, err := send(transport.Probe(t.Context()), t, client, address)
	return err
}

func send(ctx context.Context, t *testing.T, client *transport.Client, address string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	resp, err := client.Send(ctx, parsed(t, address), nil)
	if err != nil {
		return "", err
	}
	defer func() { require.NoError(t, resp.Body.Close()) }()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func parsed(t require.TestingT, address string) *url.URL {
	target, err := url.Parse(address)
	require.NoError(t, err)
	return target
}

func serve(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server
}

func respondWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestErrors_NoAddressNoSecret(t *testing.T) {
	server := serve(t, respondWith(500,
		`{"message":"upstream http://10.1.2.3:8080/select?token=`+token+` said `+token+strings.Repeat(" and more", 200)+`"}`))
	_, err := get(t, newClient(t, nil), server.URL)
	require.Contains(t, err.Error(), "[address] said [hidden]")
	require.NotContains(t, err.Error(), "10.1.2.3")
	require.NotContains(t, err.Error(), token)
	require.Less(t, len(err.Error()), 700)
}

// An engine's message about a query quotes the query, whose labels stay, but names no server and no request of its own.
func TestErrors_NoAddressInRejections(t *testing.T) {
	for name, test := range map[string]struct {
		status         int
		message, shown string
	}{
		"VictoriaMetrics": {422, `error when executing query="up{instance=\"node-1:9400\"}": cannot perform search on vmstorage "10.1.2.3:8401": cannot read from vmstorage-0.svc:8401`,
			`error when executing query="up{instance=\"node-1:9400\"}": cannot perform search on vmstorage "[address]": cannot read from [address]`},
		"a proxy": {400, `cannot unmarshal /select/0/prometheus/api/v1/query?query=up&extra_label=tenant%3D7 from http://10.1.2.3/x?y=z`, `cannot unmarshal [address] from [address]`},
		"names":   {422, `vmstorage-0.vmstorage.monitoring.svc.cluster.local refused, vmstorage-3.internal: eof, fd00:1::5 and [fd00:1::5]:8400 too`, `[address] refused, [address]: eof, [address] and [address] too`},
		"fields":  {422, `remoteAddr="10.1.2.3:8481" addr=10.1.2.3:8481 host=storage-1:8401 {"node":"10.1.2.3:8481"}`, `remoteAddr="[address]" addr=[address] host=[address] {"node":"[address]"}`},
		"a query": {400, `cannot parse sum(rate(a:b:rate5m{host=~"a.example.com|10.1.2.3:9400", pod!="x.y.z", instance="[fd00::1]:9400"}[5m:1m] offset 1.5h)) / {"my.metric.name"}`,
			`cannot parse sum(rate(a:b:rate5m{host=~"a.example.com|10.1.2.3:9400", pod!="x.y.z", instance="[fd00::1]:9400"}[5m:1m] offset 1.5h)) / {"my.metric.name"}`},
		"a position": {400, `1:13: parse error: unexpected "}" in label matching for a:rate5m, 12:30:15`, `1:13: parse error: unexpected "}" in label matching for a:rate5m, 12:30:15`},
	} {
		t.Run(name, func(t *testing.T) {
			encoded, err := json.Marshal(map[string]string{"status": "error", "errorType": "execution", "error": test.message})
			require.NoError(t, err)
			server := serve(t, respondWith(test.status, string(encoded)))
			_, err = get(t, newClient(t, nil), server.URL)
			require.ErrorIs(t, err, transport.ErrBadRequest)
			require.EqualError(t, err, test.shown)
		})
	}
}

func TestErrors_RedactCredential(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"message":"bad header: Authorization: Bearer 1.0:AK:some-signature, sorry"}`)
	})
	_, err := get(t, newClient(t, nil), server.URL)
	require.Contains(t, err.Error(), "Authorization: [hidden] sorry")
	require.NotContains(t, err.Error(), "some-signature")
}

func TestHeaders_TooLong(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		_, _ = io.WriteString(w, "hello")
	})
	err := once(t, newClient(t, nil), server.URL)
	require.ErrorContains(t, err, "can't be reached: the connection failed.")
}

func TestHeaders_DropGrafana(t *testing.T) {
	var seen http.Header
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Clone() })
	client := newClient(t, func(o *transport.Options) {
		o.HTTP.ForwardHTTPHeaders = true
		o.HTTP.Header = http.Header{"X-Tenant": {"blue"}, "Authorization": {"Bearer of somebody else"}}
	})
	names := []string{"X-Grafana-Id", "X-Grafana-User", "X-Grafana-Org-Id", "X-Dashboard-Uid", "X-Panel-Id", "X-Forwarded-For",
		"X-Datasource-Uid", "X-Of-A-Later-Grafana", "Cookie", "X-Id-Token", "FromAlert", "Referer", "Traceparent", "X-Query-Group-Id", "X-Rule-Uid"}
	ofGrafana := httpclient.MiddlewareFunc(func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			for _, name := range names {
				req.Header.Set(name, "private")
			}
			return next.RoundTrip(req)
		})
	})
	resp, err := client.Send(httpclient.WithContextualMiddleware(t.Context(), ofGrafana), parsed(t, server.URL), nil)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	for name, values := range seen {
		require.NotContains(t, values, "private", name)
	}
	require.Equal(t, "Bearer "+token, seen.Get("Authorization"))
	require.Equal(t, "blue", seen.Get("X-Tenant"), "a header that an administrator has configured is sent")
}

func TestRetries(t *testing.T) {
	failing := func(times int32, status int, header http.Header) (http.HandlerFunc, *atomic.Int32) {
		var calls atomic.Int32
		return func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) > times {
				_, _ = io.WriteString(w, "recovered")
				return
			}
			for name, values := range header {
				w.Header()[name] = values
			}
			w.WriteHeader(status)
		}, &calls
	}
	tests := map[string]struct {
		times  int32
		status int
		header http.Header
		calls  int32
		err    error
	}{
		"503 is retried":                                 {1, 503, nil, 2, nil},
		"429 is retried after its wait":                  {1, 429, http.Header{"Retry-After-Ms": {"20"}}, 2, nil},
		"429 with a wait past the deadline is final":     {9, 429, http.Header{"Retry-After": {"3600"}}, 1, transport.ErrRateLimited},
		"500 is not retried: it would fail the same way": {9, 500, nil, 1, transport.ErrUnavailable},
		"400 is not retried":                             {9, 400, nil, 1, transport.ErrBadRequest},
		"retries come to an end":                         {99, 502, http.Header{"Retry-After-Ms": {"1"}}, 4, transport.ErrUnavailable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			handle, calls := failing(test.times, test.status, test.header)
			body, err := get(t, newClient(t, nil), serve(t, handle).URL)
			require.Equal(t, test.calls, calls.Load())
			if test.err != nil {
				require.ErrorIs(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "recovered", body)
		})
	}
	t.Run("message with the wait", func(t *testing.T) {
		handle, _ := failing(9, 429, http.Header{"Retry-After": {time.Now().Add(2 * time.Hour).UTC().Format(http.TimeFormat)}})
		_, err := get(t, newClient(t, nil), serve(t, handle).URL)
		var explained *transport.Error
		require.ErrorAs(t, err, &explained)
		require.InDelta(t, 2*time.Hour, explained.RetryAfter, float64(time.Minute))
		require.Regexp(t, `Try again in (2h0m0s|1h59m\d+s)`, err.Error())
	})
	t.Run("connection closed before the response", func(t *testing.T) {
		var calls atomic.Int32
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) == 1 {
				conn, _, err := w.(http.Hijacker).Hijack()
				if err == nil {
					_ = conn.(*net.TCPConn).SetLinger(0)
					_ = conn.Close()
				}
				return
			}
			_, _ = fmt.Fprint(w, "recovered")
		})
		body, err := get(t, newClient(t, nil), server.URL)
		require.NoError(t, err)
		require.Equal(t, "recovered", body)
	})
}

func TestNew_InvalidCertificate(t *testing.T) {
	_, err := transport.New(transport.Options{HTTP: httpclient.Options{TLS: &httpclient.TLSOptions{CACertificate: "not a certificate"}}})
	require.Error(t, err)
	require.False(t, errors.Is(err, transport.ErrUnavailable))
}
