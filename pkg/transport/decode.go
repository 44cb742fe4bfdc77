package transport

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// decode makes the body of a response one that is decoded while it is read. gzip is decoded also where it was not requested, because
// intermediaries apply it without a request.
//
// Format: RFC 9110, 8.4.
func (s Service) decode(resp *http.Response) error {
	// x-gzip is gzip's old name, which RFC 9110, 8.4.1.3, keeps.
	coding := strings.TrimPrefix(strings.ToLower(strings.Join(resp.Header.Values("Content-Encoding"), ", ")), "x-")
	switch {
	case coding == "" || coding == "identity" || resp.Body == http.NoBody:
		return nil
	case coding == "gzip":
		resp.Body = &gzipBody{ReadCloser: resp.Body}
	default:
		_ = resp.Body.Close()
		if resp.StatusCode/100 == 2 {
			return s.Malformed(resp.StatusCode, fmt.Sprintf("sent a response in the content coding %s, which can't be decoded here. Known is gzip.", s.sanitize(coding)))
		}
		resp.Body = http.NoBody // the status is enough for the error
	}
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Uncompressed = true
	return nil
}

// gzipBody decodes lazily, so that an invalid stream is an error of reading and not of the round trip. klauspost's decoder is about 30 %
// faster than the standard library's.
type gzipBody struct {
	io.ReadCloser
	decoder *gzip.Reader
	err     error
}

func (b *gzipBody) Read(p []byte) (n int, err error) {
	if b.decoder == nil && b.err == nil {
		b.decoder, b.err = gzip.NewReader(b.ReadCloser)
	}
	if b.err == nil {
		n, b.err = b.decoder.Read(p)
	}
	return n, b.err
}
