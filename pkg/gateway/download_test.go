package gateway_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// piped responds to every request with a body that send writes. The body ends with the request, as that of net/http does.
type piped struct{ send func(io.Writer) }

func (p piped) RoundTrip(req *http.Request) (*http.Response, error) {
	body, writer := io.Pipe()
	ctx := req.Context()
	context.AfterFunc(ctx, func() { _ = writer.CloseWithError(context.Cause(ctx)) })
	go func() {
		p.send(writer)
		_ = writer.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, ContentLength: -1, Request: req}, nil
}

// download opens a download whose content send writes.
func download(t *testing.T, send func(io.Writer)) *gateway.Download {
	t.Helper()
	client, err := transport.New(transport.Options{
		Service: transport.Service{Title: "The tuning gateway"}, Streaming: true,
		Authorize: func(http.RoundTripper) http.RoundTripper { return piped{send} },
	})
	require.NoError(t, err)
	base, err := url.Parse("http://gateway.test")
	require.NoError(t, err)
	opened := gateway.New(gateway.Config{Transport: client, Downloads: client, Base: base})
	t.Cleanup(opened.Close)
	content, err := opened.Download(t.Context(), "ckpt-1")
	require.NoError(t, err)
	t.Cleanup(func() { _ = content.Body.Close() })
	return content
}

const kilobyte = 1 << 10

var piece = "PK" + strings.Repeat("x", kilobyte-2)

func TestDownload_Paused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		content := download(t, func(w io.Writer) {
			for range 4 {
				_, _ = io.WriteString(w, piece)
				time.Sleep(50 * time.Second) // slow, but not stalled
			}
		})
		for range 4 {
			got := make([]byte, kilobyte)
			_, err := io.ReadFull(content.Body, got)
			require.NoError(t, err)
			require.Equal(t, piece, string(got))
			time.Sleep(10 * time.Minute) // the browser pauses
		}
		rest, err := io.ReadAll(content.Body)
		require.NoError(t, err)
		require.Empty(t, rest)
	})
}

func TestDownload_Stalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := make(chan struct{})
		defer close(hanging)
		content := download(t, func(w io.Writer) {
			_, _ = io.WriteString(w, piece)
			<-hanging
		})
		began := time.Now()
		got, err := io.ReadAll(content.Body)
		require.Len(t, got, kilobyte)
		require.ErrorIs(t, err, transport.ErrTimeout)
		require.Equal(t, time.Minute, time.Since(began))
	})
}
