package platform

import (
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// gzips are writers for one response each.
var gzips = sync.Pool{New: func() any {
	zip, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
	return zip
}}

// compressed compresses a response with gzip if the client accepts that. Close it when the response is complete.
type compressed struct {
	http.ResponseWriter
	accepted bool
	begun    bool
	writer   *gzip.Writer
}

func compress(w http.ResponseWriter, r *http.Request) *compressed {
	return &compressed{ResponseWriter: w, accepted: acceptsGzip(r.Header.Get("Accept-Encoding"))}
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
		if c.accepted && compressible(c.Header()) && status != http.StatusNoContent {
			c.Header().Set("Content-Encoding", "gzip")
			c.Header().Del("Content-Length")
			c.writer = gzips.Get().(*gzip.Writer)
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
	gzips.Put(c.writer)
	c.writer = nil
}
