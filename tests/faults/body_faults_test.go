package faults

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"unicode/utf16"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// rewrite changes the healthy response.
func rewrite(change func(response *httptest.ResponseRecorder, w http.ResponseWriter)) func(http.Handler) http.Handler {
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Accept-Encoding")
			response := httptest.NewRecorder()
			healthy.ServeHTTP(response, r)
			change(response, w)
		})
	}
}

// respondWith responds with the status 200 and another body.
func respondWith(contentType, body string) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{contentType}
			_, _ = w.Write([]byte(body))
		})
	}
}

func noContent(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
}

// cutJSON sends half of the body with a matching length.
func cutJSON(response *httptest.ResponseRecorder, w http.ResponseWriter) {
	w.Header().Set("Content-Type", response.Header().Get("Content-Type"))
	_, _ = w.Write(response.Body.Bytes()[:response.Body.Len()/2])
}

// cutBody sends half of the body, with the length of the complete one.
func cutBody(response *httptest.ResponseRecorder, w http.ResponseWriter) {
	w.Header().Set("Content-Length", strconv.Itoa(response.Body.Len()))
	w.Header().Set("Content-Type", response.Header().Get("Content-Type"))
	_, _ = w.Write(response.Body.Bytes()[:response.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// cutGzip sends a truncated gzip body with a matching length.
func cutGzip(response *httptest.ResponseRecorder, w http.ResponseWriter) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(response.Body.Bytes())
	_ = zip.Close()
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(packed.Bytes()[:packed.Len()-9])
}

// coded sends a body in a content coding that was not requested.
func coded(coding string, compress func(io.Writer) io.WriteCloser) func(*httptest.ResponseRecorder, http.ResponseWriter) {
	return func(response *httptest.ResponseRecorder, w http.ResponseWriter) {
		w.Header().Set("Content-Encoding", coding)
		w.Header().Set("Content-Type", response.Header().Get("Content-Type"))
		w.Header().Set("Date", response.Header().Get("Date"))
		w.WriteHeader(response.Code)
		packed := compress(w)
		_, _ = packed.Write(response.Body.Bytes())
		_ = packed.Close()
	}
}

func inGzip(w io.Writer) io.WriteCloser   { return gzip.NewWriter(w) }
func inBrotli(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }

func inZstd(w io.Writer) io.WriteCloser {
	packed, _ := zstd.NewWriter(w)
	return packed
}

func inUTF16(response *httptest.ResponseRecorder, w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-16")
	var body []byte
	for _, unit := range utf16.Encode([]rune(response.Body.String())) {
		body = append(body, byte(unit), byte(unit>>8))
	}
	_, _ = w.Write(body)
}

func asText(response *httptest.ResponseRecorder, w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Content-Length", strconv.Itoa(response.Body.Len()))
	_, _ = w.Write(response.Body.Bytes())
}

// gzipBombBody is 256 MB of blanks, compressed to a quarter of 1 MB.
var gzipBombBody = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	nothing := bytes.Repeat([]byte(" "), 1<<20)
	for range 256 {
		_, _ = zip.Write(nothing)
	}
	_ = zip.Close()
	return packed.Bytes()
})

func gzipBomb(code int) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = w.Write(gzipBombBody())
		})
	}
}

const page = "<!DOCTYPE html><html><title>Sign in</title><script>alert(1)</script></html>"

func bodyFaults() []fault {
	list := "some platforms omit an empty list; there is a notice"
	leftOut := map[string]string{"Main API query": list, "Main API annotation": list, "Main API health": list}
	empty := "some platforms write an empty list as null"
	nullList := map[string]string{"Metrics variable": empty, "Fine-tuning query": empty, "Fine-tuning annotation": empty, "Fine-tuning variable": empty,
		"Fine-tuning health": empty}
	maps.Copy(nullList, leftOut)
	return []fault{
		{name: "truncated body", inject: rewrite(cutBody)},
		{name: "half of the JSON, with a matching length", inject: rewrite(cutJSON), exceptions: map[string]string{
			"Fine-tuning download": "the end of an archive is known by its length only",
		}},
		{name: "truncated gzip", inject: rewrite(cutGzip)},
		{name: "gzip, written GZIP", complete: true, inject: rewrite(coded("GZIP", inGzip))},
		{name: "zstd, not requested", complete: true, inject: rewrite(coded("zstd", inZstd))},
		{name: "br, not requested", complete: true, inject: rewrite(coded("br", inBrotli))},
		{name: "unknown content coding", inject: rewrite(coded("compress", inGzip))},
		{name: "gzip bomb", inject: gzipBomb(200)},
		{name: "gzip bomb, with status 500", inject: gzipBomb(500)},
		{name: "empty body, status 200", inject: respondWith("application/json", "")},
		{name: "empty body, status 204", inject: noContent},
		{name: "web page, status 200", inject: respondWith("text/html", page)},
		{name: "web page with the content type of JSON", inject: respondWith("application/json", page)},
		{name: "web page without a content type", inject: respondWith("", page)},
		{name: "plain text, status 200", inject: respondWith("text/plain", "no healthy upstream")},
		{name: "UTF-16 instead of UTF-8", inject: rewrite(inUTF16)},
		{name: "correct JSON with the content type of text", complete: true, inject: rewrite(asText)},
		{name: "null", inject: respondWith("application/json", "null")},
		{name: "empty object", inject: respondWith("application/json", "{}"), exceptions: leftOut},
		{name: "empty array", inject: respondWith("application/json", "[]")},
		{name: "number", inject: respondWith("application/json", "7")},
		{name: "error body of the platform, status 200", inject: respondWith("application/json", `{"code":"internal_error","message":"`+platformMessage+`"}`)},
		{name: "error body of the gateway, status 200", inject: respondWith("application/json", `{"error":{"message":"`+platformMessage+`","type":"server_error"}}`)},
		{name: "error body of Prometheus, status 200", inject: respondWith("application/json", `{"status":"error","errorType":"internal","error":"`+platformMessage+`"}`)},
		{name: "error body without a message, status 200", inject: respondWith("application/json", `{"status":"error"}`)},
		{name: "status success without data", inject: respondWith("application/json", `{"status":"success"}`), exceptions: leftOut},
		{name: "status success with null as data", inject: respondWith("application/json", `{"status":"success","data":null}`), exceptions: nullList},
	}
}
