package platform

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// compressor writes one content coding. It can be used again after Reset.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// codings are the content codings by their lower-case names.
var codings = map[string]*sync.Pool{
	"gzip": {New: func() any {
		zip, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
		return zip
	}},
	"br": {New: func() any { return brotli.NewWriterLevel(nil, brotli.BestSpeed) }},
	"zstd": {New: func() any {
		encoder, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest)) // the options are valid
		return encoder
	}},
}

// compressed compresses a response. Close it when the response is complete.
type compressed struct {
	http.ResponseWriter
	coding string // as the header spells it; "" passes the response on as it is
	pool   *sync.Pool
	writer compressor
	begun  bool
}

// compress compresses with gzip if the client accepts that. Another coding is used even if the client does not accept it, as
// some intermediaries do.
func compress(w http.ResponseWriter, r *http.Request, forced string) *compressed {
	coding := forced
	if coding == "" && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		coding = "gzip"
	}
	return &compressed{ResponseWriter: w, coding: coding, pool: codings[strings.ToLower(coding)]}
}

func acceptsGzip(header string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "gzip" && strings.TrimSpace(quality) != "q=0" {
			return true
		}
	}
	return false
}

// compressible reports whether a response is compressed: downloads are not.
func compressible(h http.Header) bool {
	return h.Get("Content-Encoding") == "" && h.Get("Content-Disposition") == ""
}

// WriteHeader implements http.ResponseWriter.
func (c *compressed) WriteHeader(status int) {
	if !c.begun {
		c.begun = true
		if c.pool != nil && compressible(c.Header()) && status != http.StatusNoContent {
			c.Header().Set("Content-Encoding", c.coding)
			c.Header().Del("Content-Length")
			c.writer = c.pool.Get().(compressor)
			c.writer.Reset(c.ResponseWriter)
		}
		c.Header().Add("Vary", "Accept-Encoding")
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (c *compressed) Write(b []byte) (int, error) {
	if !c.begun {
		c.WriteHeader(http.StatusOK)
	}
	if c.writer == nil {
		return c.ResponseWriter.Write(b)
	}
	return c.writer.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *compressed) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *compressed) close() {
	if c.writer == nil {
		return
	}
	_ = c.writer.Close() // a client that has gone needs no response
	c.pool.Put(c.writer)
	c.writer = nil
}
