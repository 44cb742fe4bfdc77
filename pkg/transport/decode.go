package transport

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow bounds the memory of a zstd decoder, as RFC 9659 does for the content coding. Brotli needs at most 16 MB, and gzip
// 32 kB.
const maxZstdWindow = 8 << 20

// decoders make the decoder of a body, by content coding. They may read its beginning. klauspost's gzip is about 30 % faster than the
// standard library's.
var decoders = map[string]func(body io.Reader) (io.Reader, error){
	"gzip": func(body io.Reader) (io.Reader, error) { return gzip.NewReader(body) },
	"zstd": func(body io.Reader) (io.Reader, error) {
		// With a concurrency of 1 it has no goroutines, so that it need not be closed.
		return zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
	},
	"br": func(body io.Reader) (io.Reader, error) { return brotli.NewReader(body), nil },
}

// decode makes the body of a response one that is decoded while it is read. Codings that were not requested are decoded, too, because
// intermediaries apply them without a request. Nested ones are not known: they would multiply the size that a small body can have.
//
// Format: RFC 9110, 8.4.
func (s Service) decode(resp *http.Response) error {
	// x-gzip is gzip's old name, which RFC 9110, 8.4.1.3, keeps.
	coding := strings.TrimPrefix(strings.ToLower(strings.Join(resp.Header.Values("Content-Encoding"), ", ")), "x-")
	if coding == "" || coding == "identity" || resp.Body == http.NoBody {
		return nil
	}
	if newDecoder, known := decoders[coding]; known {
		resp.Body = &decodedBody{ReadCloser: resp.Body, newDecoder: newDecoder}
	} else {
		_ = resp.Body.Close()
		if resp.StatusCode/100 == 2 {
			return s.Malformed(resp.StatusCode, fmt.Sprintf("sent a response in the content coding %s, which can't be decoded here. Known are br, gzip, zstd.",
				s.sanitize(coding)))
		}
		resp.Body = http.NoBody // the status is enough for the error
	}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Uncompressed = true
	return nil
}

// decodedBody decodes lazily, so that an invalid stream is an error of reading and not of the round trip.
type decodedBody struct {
	io.ReadCloser
	newDecoder func(io.Reader) (io.Reader, error)
	decoder    io.Reader
	err        error
}

func (b *decodedBody) Read(p []byte) (n int, err error) {
	if b.decoder == nil && b.err == nil {
		b.decoder, b.err = b.newDecoder(b.ReadCloser)
	}
	if b.err == nil {
		n, b.err = b.decoder.Read(p)
	}
	return n, b.err
}
