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

// decoders make the decoder of a body, by content coding. They may read its beginning.
var decoders = map[string]func(body io.Reader) (io.Reader, error){
	"gzip": func(body io.Reader) (io.Reader, error) { return gzip.NewReader(body) },
	"zstd": func(body io.Reader) (io.Reader, error) {
		// With a concurrency of 1 it has no goroutines, so that it need not be closed.
		return zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
	},
	"br": func(body io.Reader) (io.Reader, error) { return brotli.NewReader(body), nil },
}

// decode makes the body of a response one that is decoded while it is read. Codings that were not requested are decoded, too, because
// intermediaries apply them without a request. klauspost's gzip is about 30 % faster than the standard library's.
func (s Service) decode(resp *http.Response) error {
	codings := contentCodings(resp.Header)
	if len(codings) == 0 || resp.Body == http.NoBody {
		return nil
	}
	compressed := resp.Body
	// Nested codings would multiply the size that a small body can have.
	if newDecoder, known := decoders[codings[0]]; known && len(codings) == 1 {
		resp.Body = &decodedBody{ReadCloser: compressed, newDecoder: newDecoder}
	} else {
		_ = compressed.Close()
		if resp.StatusCode/100 == 2 {
			return s.unknownCoding(resp.StatusCode, codings)
		}
		resp.Body = http.NoBody // the status is enough for the error
	}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Uncompressed = true
	return nil
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
	return &Error{Kind: ErrMalformed, Status: status, Message: fmt.Sprintf("%s sent a response in the content coding %s, which can't be decoded here. Known are br, gzip, zstd.",
		s.Title, shorten(s.sanitize(strings.Join(codings, ", ")), maxCoding))}
}

// maxCoding bounds how much of a header goes into a message, in bytes.
const maxCoding = 60

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
