package transport_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// FuzzFailure responds with any status, body and Retry-After. The message is bounded, printable text without the credential
// and without an address.
func FuzzFailure(f *testing.F) {
	const secret = "the-very-secret-token"
	for _, body := range []string{
		"", "null", "[]", `{"error":"x"}`, `{"error":{"message":"x"}}`, `{"code":1,"message":"m","reason":"r"}`, `{"message":"` + secret + `"}`,
		`{"status":"error","errorType":"bad_data","error":"1:5: parse error"}`, `{"message":"at http://user:pass@host/x?y"}`, "{\"message\":\"\xff\xfe\"}",
		`{"message":"` + strings.Repeat("é", 3000) + `"}`, `{"message":"Bearer abc"}`, `{"error":["x"]}`,
	} {
		for _, status := range []int{400, 401, 404, 422, 429, 500, 503} {
			f.Add(status, body, "1")
		}
	}
	var lock sync.Mutex
	var status int
	var body, wait string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Retry-After"] = []string{strings.Map(printable, wait)}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	f.Cleanup(server.Close)
	client, err := transport.New(transport.Options{
		Service:          transport.Service{Title: "The service", Credential: "token", Host: server.Listener.Addr().String(), Secrets: []string{secret}},
		Authorize:        transport.Bearer(secret),
		MaxResponseBytes: 1 << 20,
	})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, code int, sent, after string) {
		lock.Lock()
		defer lock.Unlock()
		if code < 200 || code > 599 {
			code = 400 + (code&0xff)%200
		}
		status, body, wait = code, sent, after
		resp, err := client.Send(transport.Probe(t.Context()), parsed(t, server.URL), nil) // not retried
		if err == nil {
			_ = resp.Body.Close()
			require.Equal(t, 2, code/100)
			return
		}
		text := err.Error()
		require.NotEmpty(t, text)
		require.True(t, utf8.ValidString(text), "%q", text)
		require.Less(t, len(text), 5000)
		require.NotContains(t, text, secret)
		require.NotContains(t, text, server.Listener.Addr().String())
	})
}

func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}
