package transport_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/logtest"
)

func TestLogCause_NoAddress(t *testing.T) {
	const refused = "http://127.0.0.1:1" // a port that no other test may get meanwhile
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	defer untrusted.Close()
	untrusted.Config.ErrorLog = nil
	aborted := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	nonsense := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, "10.1.2.3:9090-"+token+"\r\n\r\n")
			_ = conn.Close()
		}
	})
	cut := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"status":"success"`)
	})
	broken := serve(t, encoded(http.StatusOK, []byte("this was never compressed"), "gzip"))
	for name, test := range map[string]struct{ address, cause string }{
		"nothing listens":            {refused, "the connection was refused (syscall.Errno)"},
		"an unknown host":            {"http://no-such-host.invalid", "its host name is not known"},
		"an unknown authority":       {untrusted.URL, "its TLS certificate is not trusted here, is for another host, or is out of date"},
		"aborted":                    {aborted.URL, "the connection was closed before a response came"},
		"something that is not HTTP": {nonsense.URL, "malformed HTTP response"},
		"a cut body":                 {cut.URL, "the connection was closed before a response came"},
		"broken compression":         {broken.URL, "gzip: invalid header"},
	} {
		t.Run(name, func(t *testing.T) {
			logger := logtest.Capture(t, log.Warn)
			client := newClient(t, func(o *transport.Options) { o.Service.Name = "metrics" })
			err := once(t, client, test.address+"/v1/projects/p?query=up")
			require.Error(t, err)
			logged := logger.String()
			require.Contains(t, logged, "service metrics cause ")
			require.Contains(t, logged, test.cause)
			require.Equal(t, 1, strings.Count(logged, "\n"), logged)
			host, port, err := net.SplitHostPort(strings.TrimPrefix(strings.TrimPrefix(test.address, "https://"), "http://"))
			if err == nil {
				require.NotContains(t, logged, host)
				require.NotContains(t, logged, port)
			}
			for _, private := range []string{"no-such-host", "10.1.2.3", "9090", "query=up", token} {
				require.NotContains(t, logged, private)
			}
		})
	}
}

// A request that is repeated is one failure.
func TestLogCause_Retried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, attempts := logtest.Capture(t, log.Warn), 0
		ctx := httpclient.WithContextualMiddleware(t.Context(), httpclient.MiddlewareFunc(func(httpclient.Options, http.RoundTripper) http.RoundTripper {
			return httpclient.RoundTripperFunc(func(*http.Request) (*http.Response, error) {
				attempts++
				return nil, syscall.ECONNREFUSED
			})
		}))
		_, err := newClient(t, nil).Send(ctx, parsed(t, "http://platform.test"), nil) //nolint:bodyclose // there is none
		require.ErrorIs(t, err, transport.ErrUnavailable)
		require.Greater(t, attempts, 1)
		require.Equal(t, 1, strings.Count(logger.String(), "\n"), logger.String())
	})
}

func TestLogCause_OnlyOutages(t *testing.T) {
	logger := logtest.Capture(t, log.Warn)
	s := newService(t, 1)
	s.setHandler(neverRespond)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.send(ctx), transport.ErrCanceled)
	s.setHandler(respondWith(http.StatusBadRequest, "{}"))
	require.ErrorIs(t, s.send(t.Context()), transport.ErrBadRequest)
	require.Empty(t, logger.String())
}
