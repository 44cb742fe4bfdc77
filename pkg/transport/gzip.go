package transport

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/klauspost/compress/gzip"
)

var errCompression = errors.New("broken compression")

// gunzip asks for gzip itself and unpacks it with klauspost's reader, which is about 30 % faster than the standard
// library's. It only asks where the caller has not chosen an encoding.
func gunzip() httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("gunzip", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			if req.Header.Get("Accept-Encoding") != "" {
				return next.RoundTrip(req)
			}
			req = req.Clone(req.Context())
			req.Header.Set("Accept-Encoding", "gzip")
			resp, err := next.RoundTrip(req)
			if err != nil || resp.Header.Get("Content-Encoding") != "gzip" || resp.Body == http.NoBody {
				return resp, err
			}
			resp.Body = &gzipBody{compressed: resp.Body}
			resp.Header.Del("Content-Encoding")
			resp.Header.Del("Content-Length")
			resp.ContentLength = -1
			resp.Uncompressed = true
			return resp, nil
		})
	})
}

// gzipReaders are kept, because each has 40 kB of tables.
var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

// gzipBody unpacks lazily, so that a broken head of the stream is an error of reading and not of the round trip.
type gzipBody struct {
	compressed io.ReadCloser
	reader     *gzip.Reader
	err        error
}

func (b *gzipBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.reader == nil {
		b.reader = gzipReaders.Get().(*gzip.Reader)
		if err := b.reader.Reset(b.compressed); err != nil {
			return 0, b.end(err)
		}
	}
	n, err := b.reader.Read(p)
	if err != nil {
		return n, b.end(err)
	}
	return n, nil
}

// end lets go of the reader. A body that is closed before its end keeps it, because someone may still be reading.
func (b *gzipBody) end(err error) error {
	gzipReaders.Put(b.reader)
	b.reader, b.err = nil, brokenCompression(err)
	return b.err
}

func (b *gzipBody) Close() error { return b.compressed.Close() }

func brokenCompression(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return errCompression
	}
	return err
}
