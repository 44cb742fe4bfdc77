package transport

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow bounds the memory of a zstd decoder, as RFC 9659 does for the content coding. Brotli needs at most 16 MB,
// the other codings 32 kB.
const maxZstdWindow = 8 << 20

// decoder decodes one body after another.
type decoder interface {
	io.Reader
	// Reset begins a body. It may read the beginning of the body, and return the error of that.
	Reset(body io.Reader) error
}

// decoders are pooled by content coding, because each has tables of 40 kB or more.
var decoders = map[string]*sync.Pool{
	"gzip":    {New: func() any { return new(gzip.Reader) }},
	"deflate": {New: func() any { return &deflateReader{} }},
	"zstd": {New: func() any {
		// With a concurrency of 1 it has no goroutines. The only errors are of options.
		decoder, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		return decoder
	}},
	"br": {New: func() any { return brotli.NewReader(nil) }},
}

// decode decodes response bodies, and requests gzip where the caller has not set Accept-Encoding. Other codings are decoded
// too, because intermediaries apply them without a request. klauspost's gzip is about 30 % faster than the standard library's.
func decode(s Service) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("decode", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			if req.Header.Get("Accept-Encoding") == "" {
				req = req.Clone(req.Context())
				req.Header.Set("Accept-Encoding", "gzip")
			}
			resp, err := next.RoundTrip(req)
			if err != nil || resp.Body == http.NoBody {
				return resp, err
			}
			codings := contentCodings(resp.Header)
			if len(codings) == 0 {
				return resp, nil
			}
			compressed := resp.Body
			// Nested codings would multiply the size that a small body can have.
			if pool, known := decoders[codings[0]]; known && len(codings) == 1 {
				resp.Body = &decodedBody{compressed: compressed, pool: pool}
			} else {
				_ = compressed.Close()
				if resp.StatusCode/100 == 2 {
					return nil, s.unknownCoding(resp.StatusCode, codings)
				}
				resp.Body = http.NoBody // the status is enough for the error
			}
			resp.Header.Del("Content-Encoding")
			resp.Header.Del("Content-Length")
			resp.ContentLength = -1
			resp.Uncompressed = true
			return resp, nil
		})
	})
}

// contentCodings are the codings of a body in lower case, without identity.
//
// Format: RFC 9110, 8.4.
func contentCodings(header http.Header) []string {
	var codings []string
	for coding := range strings.SplitSeq(strings.Join(header.Values("Content-Encoding"), ","), ",") {
		switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
		case "", "identity":
		case "x-gzip":
			codings = append(codings, "gzip")
		default:
			codings = append(codings, coding)
		}
	}
	return codings
}

// unknownCoding is the error for a response that can't be decoded.
func (s Service) unknownCoding(status int, codings []string) *Error {
	known := []string{}
	for coding := range decoders {
		known = append(known, coding)
	}
	slices.Sort(known)
	return &Error{Kind: ErrMalformed, Status: status, Message: fmt.Sprintf("%s sent a response in the content coding %s, which can't be decoded here. Known are %s.",
		s.Title, shorten(s.sanitize(strings.Join(codings, ", ")), maxCoding), strings.Join(known, ", "))}
}

// maxCoding bounds how much of a header goes into a message, in bytes.
const maxCoding = 60

// decodedBody decodes lazily, so that an invalid stream is an error of reading and not of the round trip.
type decodedBody struct {
	compressed io.ReadCloser
	pool       *sync.Pool
	decoder    decoder
	err        error
}

func (b *decodedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.decoder == nil {
		b.decoder = b.pool.Get().(decoder)
		if err := b.decoder.Reset(b.compressed); err != nil {
			return 0, b.end(err)
		}
	}
	n, err := b.decoder.Read(p)
	if err != nil {
		return n, b.end(err)
	}
	return n, nil
}

// end returns the decoder to its pool. Close does not, because a concurrent Read may still use the decoder.
func (b *decodedBody) end(err error) error {
	b.pool.Put(b.decoder)
	b.decoder, b.err = nil, err
	return b.err
}

func (b *decodedBody) Close() error { return b.compressed.Close() }

// deflateReader decodes the coding "deflate", which is zlib's format. Some servers send raw deflate instead.
//
// Format: RFC 9110, 8.4.1.2; RFC 1950, 2.2.
type deflateReader struct{ io.Reader }

func (d *deflateReader) Reset(body io.Reader) error {
	buffered := bufio.NewReader(body)
	head, err := buffered.Peek(2)
	if len(head) < 2 && !errors.Is(err, io.EOF) {
		return err
	}
	if len(head) == 0 {
		return io.EOF
	}
	if len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		d.Reader, err = zlib.NewReader(buffered)
		return err
	}
	d.Reader = flate.NewReader(buffered)
	return nil
}
