package transport_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const echoed = "a-token-of-some-length"

// echo is a client of a server that responds with a body, a few bytes at a time.
func echo(t *testing.T, response func() (text []byte, piece int), options transport.Options) (*transport.Client, string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, piece := response()
		for len(text) > 0 {
			n := min(piece, len(text))
			_, _ = w.Write(text[:n])
			w.(http.Flusher).Flush()
			text = text[n:]
		}
	}))
	t.Cleanup(server.Close)
	options.Service = transport.Service{Title: "The service", Secrets: []string{echoed, "short"}}
	client, err := transport.New(options)
	require.NoError(t, err)
	return client, server.URL
}

func body(t require.TestingT, client *transport.Client, address string) io.ReadCloser {
	resp, err := client.Send(context.Background(), parsed(t, address), nil)
	require.NoError(t, err)
	return resp.Body
}

func TestRedactBody_AcrossReads(t *testing.T) {
	var text []byte
	var piece int
	client, address := echo(t, func() ([]byte, int) { return text, piece }, transport.Options{})
	readers := map[string]func(io.Reader) io.Reader{
		"as it comes": func(r io.Reader) io.Reader { return r },
		"by bytes":    iotest.OneByteReader,
		"by halves":   iotest.HalfReader,
	}
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			echoed, echoed[:10], echoed[1:], "a", "a-token-of-a-token-of-some-length", "short", strings.Repeat("x", 20_000), "\x00é",
		}), 0, 12).Draw(rt, "parts")
		text = []byte(strings.Join(parts, ""))
		piece = rapid.SampledFrom([]int{1000, len(echoed), 7, 100_000}).Draw(rt, "piece")
		read := readers[rapid.SampledFrom([]string{"as it comes", "by bytes", "by halves"}).Draw(rt, "reader")]

		resp := body(rt, client, address)
		got, err := io.ReadAll(read(resp))
		require.NoError(rt, err)
		require.NoError(rt, resp.Close())
		want := bytes.ReplaceAll(text, []byte(echoed), bytes.Repeat([]byte("*"), len(echoed)))
		require.Equal(rt, string(want), string(got))
	})
}

func TestRedactBody_StreamingUnchanged(t *testing.T) {
	client, address := echo(t, func() ([]byte, int) { return []byte(echoed), 100 }, transport.Options{Streaming: true})
	got, err := io.ReadAll(body(t, client, address))
	require.NoError(t, err)
	require.Equal(t, echoed, string(got), "an archive must not change by a byte")
}

// Grafana's capture of requests, for diagnostics, is a middleware of the context, and shows bodies to whom looks for a fault.
func TestRedactBody_BeforeTheContextsMiddlewares(t *testing.T) {
	captured, err := capture(t, http.StatusOK)
	require.NoError(t, err)
	require.Equal(t, "received Bearer "+strings.Repeat("*", len(token)), captured)
}

func TestRedactBody_ErrorsBeforeTheContextsMiddlewares(t *testing.T) {
	captured, err := capture(t, http.StatusBadRequest)
	require.Equal(t, "received Bearer "+strings.Repeat("*", len(token)), captured)
	require.EqualError(t, err, "The metrics endpoint can't run this request (400): received [hidden]")
}

// capture is what a middleware of the context sees of a response that repeats the credential, and the error of the request.
func capture(t *testing.T, status int) (captured string, err error) {
	t.Helper()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "received "+r.Header.Get("Authorization"))
	})
	ctx := httpclient.WithContextualMiddleware(t.Context(), httpclient.MiddlewareFunc(func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err == nil {
				var body []byte
				body, err = io.ReadAll(resp.Body)
				captured, resp.Body = string(body), io.NopCloser(strings.NewReader(string(body)))
			}
			return resp, err
		})
	}))
	_, err = send(ctx, t, newClient(t, nil), server.URL)
	return captured, err
}

// A secret that begins with another one is redacted whole: a header of a proxy may hold the token and more.
func TestRedact_SecretWithinAnother(t *testing.T) {
	const longer = token + ":of-the-proxy"
	text := `{"message":"received ` + longer + `"}`
	for name, status := range map[string]int{"a message": http.StatusBadRequest, "a body": http.StatusOK} {
		t.Run(name, func(t *testing.T) {
			client := newClient(t, func(o *transport.Options) {
				if o.Service.Private = []string{longer, token}; status == http.StatusOK {
					o.Service.Secrets = []string{token, longer}
				}
			})
			body, err := get(t, client, serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				for _, letter := range []byte(text) { // each in a piece of its own
					_, _ = w.Write([]byte{letter})
					w.(http.Flusher).Flush()
				}
			}).URL)
			if err != nil {
				body = err.Error()
			}
			require.Contains(t, body, "received")
			require.NotContains(t, body, "proxy")
		})
	}
}
