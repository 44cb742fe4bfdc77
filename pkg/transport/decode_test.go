package transport_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// written is the output of a compressing writer for a text.
func written(t *testing.T, text string, compress func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var compressed bytes.Buffer
	writer := compress(&compressed)
	_, err := io.WriteString(writer, text)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return compressed.Bytes()
}

func inGzip(w io.Writer) io.WriteCloser   { return gzip.NewWriter(w) }
func inBrotli(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }

func inZstd(w io.Writer) io.WriteCloser {
	writer, _ := zstd.NewWriter(w)
	return writer
}

// encoded responds with a body and a Content-Encoding header for each coding.
func encoded(status int, body []byte, codings ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Encoding"] = codings
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
}

func TestDecode_ContentCodings(t *testing.T) {
	text := strings.Repeat(`{"status":"success"}`, 10_000)
	tests := map[string]struct {
		compress func(io.Writer) io.WriteCloser
		codings  []string
	}{
		"gzip":               {inGzip, []string{"gzip"}},
		"gzip in capitals":   {inGzip, []string{"GZIP"}},
		"gzip, as it was":    {inGzip, []string{"X-Gzip"}},
		"zstd":               {inZstd, []string{"zstd"}},
		"zstd in mixed case": {inZstd, []string{"Zstd"}},
		"br":                 {inBrotli, []string{"br"}},
	}
	client := newClient(t, nil)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := serve(t, encoded(http.StatusOK, written(t, text, test.compress), test.codings...))
			body, err := get(t, client, server.URL)
			require.NoError(t, err)
			require.True(t, text == body)
		})
	}
	t.Run("identity", func(t *testing.T) {
		var requested string
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requested = r.Header.Get("Accept-Encoding")
			encoded(http.StatusOK, []byte("{}"), "Identity")(w, r)
		})
		body, err := get(t, client, server.URL)
		require.NoError(t, err)
		require.Equal(t, "{}", body)
		require.Equal(t, "gzip", requested)
	})
}

func TestDecode_InvalidBody(t *testing.T) {
	text := strings.Repeat(`{"status":"success"}`, 10_000)
	client := newClient(t, nil)
	for coding, compress := range map[string]func(io.Writer) io.WriteCloser{"gzip": inGzip, "zstd": inZstd, "br": inBrotli} {
		whole := written(t, text, compress)
		for name, body := range map[string][]byte{"cut": whole[:len(whole)/2], "another": []byte("this was never compressed")} {
			t.Run(coding+" "+name, func(t *testing.T) {
				_, err := get(t, client, serve(t, encoded(http.StatusOK, body, coding)).URL)
				require.ErrorIs(t, err, transport.ErrMalformed)
				require.ErrorContains(t, err, "sent an incomplete response")
			})
		}
	}
}

func TestDecode_UnknownCoding(t *testing.T) {
	for name, test := range map[string]struct {
		codings []string
		named   string
	}{
		"deflate":             {[]string{"deflate"}, "deflate"},
		"a coding of codings": {[]string{"gzip", "zstd"}, "gzip, zstd"},
		"a secret":            {[]string{token}, "[hidden]"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls int
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls++
				encoded(http.StatusOK, []byte("xyz"), test.codings...)(w, r)
			})
			_, err := get(t, newClient(t, nil), server.URL)
			require.ErrorIs(t, err, transport.ErrMalformed)
			require.EqualError(t, err, "The metrics endpoint sent a response in the content coding "+test.named+", which can't be decoded here. Known are br, gzip, zstd.")
			require.Equal(t, 1, calls)
		})
	}
}

func TestDecode_ErrorBody(t *testing.T) {
	body := written(t, `{"error":"parse error","errorType":"bad_data","status":"error"}`, inZstd)
	_, err := get(t, newClient(t, nil), serve(t, encoded(http.StatusBadRequest, body, "ZSTD")).URL)
	require.EqualError(t, err, "parse error")

	_, err = get(t, newClient(t, nil), serve(t, encoded(http.StatusUnauthorized, body, "compress")).URL)
	require.ErrorIs(t, err, transport.ErrCredential)
}

func TestDecode_SizeLimit(t *testing.T) {
	nothing := strings.Repeat(" ", 64<<20)
	for coding, compress := range map[string]func(io.Writer) io.WriteCloser{"gzip": inGzip, "zstd": inZstd, "br": inBrotli} {
		t.Run(coding, func(t *testing.T) {
			bomb := written(t, nothing, compress)
			server := serve(t, encoded(http.StatusOK, bomb, coding))
			client := newClient(t, nil)
			allocated := allocatedBy(func() {
				_, err := get(t, client, server.URL)
				require.ErrorIs(t, err, transport.ErrTooLarge)
			})
			require.Less(t, allocated, uint64(40<<20), "the window, and a body of 1 MB")
		})
	}
}

// A zstd frame declares how much memory its decoder needs.
func TestDecode_ZstdWindowLimit(t *testing.T) {
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	const tooMuch, blocks = 16 << 20, 128
	for name, head := range map[string][]byte{
		"as its window":              {0x00, 14 << 3}, // 2^(10+14)
		"as its content, in a piece": binary.LittleEndian.AppendUint32([]byte{0x80 | 0x20}, tooMuch),
	} {
		t.Run(name, func(t *testing.T) {
			frame := append(append([]byte{}, magic...), head...)
			for range blocks - 1 {
				frame = append(frame, 0x02, 0x00, 0x10, ' ') // 128 kB of blanks
			}
			frame = append(frame, 0x03, 0x00, 0x10, ' ') // the last
			server := serve(t, encoded(http.StatusOK, frame, "zstd"))
			client := newClient(t, func(o *transport.Options) { o.MaxResponseBytes = 0 })
			body, err := get(t, client, server.URL)
			require.ErrorIs(t, err, transport.ErrMalformed)
			require.Empty(t, body)
		})
	}
}

func allocatedBy(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
