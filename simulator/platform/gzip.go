package platform

import (
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// gzipped compresses an answer if the client accepts that. Close it when the answer is complete.
type gzipped struct {
	http.ResponseWriter
	zip    *gzip.Writer // nil: pass on as it is
	begun  bool
	accept bool
}

var zips = sync.Pool{New: func() any {
	zip, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
	return zip
}}

func compress(w http.ResponseWriter, r *http.Request) *gzipped {
	return &gzipped{ResponseWriter: w, accept: acceptsGzip(r.Header.Get("Accept-Encoding"))}
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

// compressible tells whether an answer is worth compressing: downloads go out as they are.
func compressible(h http.Header) bool {
	return h.Get("Content-Encoding") == "" && h.Get("Content-Disposition") == ""
}

// WriteHeader implements http.ResponseWriter.
func (g *gzipped) WriteHeader(status int) {
	if !g.begun {
		g.begun = true
		if g.accept && compressible(g.Header()) && status != http.StatusNoContent {
			g.Header().Set("Content-Encoding", "gzip")
			g.Header().Del("Content-Length")
			g.zip = zips.Get().(*gzip.Writer)
			g.zip.Reset(g.ResponseWriter)
		}
		g.Header().Add("Vary", "Accept-Encoding")
	}
	g.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (g *gzipped) Write(b []byte) (int, error) {
	if !g.begun {
		g.WriteHeader(http.StatusOK)
	}
	if g.zip == nil {
		return g.ResponseWriter.Write(b)
	}
	return g.zip.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (g *gzipped) Unwrap() http.ResponseWriter { return g.ResponseWriter }

func (g *gzipped) close() {
	if g.zip == nil {
		return
	}
	_ = g.zip.Close() // a client that has gone needs no answer
	zips.Put(g.zip)
	g.zip = nil
}
