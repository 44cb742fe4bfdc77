package faults

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
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

// rewritten answers with what change makes of a healthy answer.
func rewritten(change func(answer *httptest.ResponseRecorder, w http.ResponseWriter)) func(http.Handler) http.Handler {
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Accept-Encoding")
			answer := httptest.NewRecorder()
			healthy.ServeHTTP(answer, r)
			change(answer, w)
		})
	}
}

// instead answers 200 with something else.
func instead(contentType, body string) func(http.Handler) http.Handler {
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

// cutJSON ends in the middle, though the transfer says it is complete.
func cutJSON(answer *httptest.ResponseRecorder, w http.ResponseWriter) {
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
}

// cutBody declares the whole length and sends half of it.
func cutBody(answer *httptest.ResponseRecorder, w http.ResponseWriter) {
	w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// cutGzip ends a compressed body in the middle, though the transfer says it is complete.
func cutGzip(answer *httptest.ResponseRecorder, w http.ResponseWriter) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(answer.Body.Bytes())
	_ = zip.Close()
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(packed.Bytes()[:packed.Len()-9])
}

// coded sends a body in a content coding that nobody asked for.
func coded(coding string, compress func(io.Writer) io.WriteCloser) func(*httptest.ResponseRecorder, http.ResponseWriter) {
	return func(answer *httptest.ResponseRecorder, w http.ResponseWriter) {
		w.Header().Set("Content-Encoding", coding)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.Header().Set("Date", answer.Header().Get("Date"))
		w.WriteHeader(answer.Code)
		packed := compress(w)
		_, _ = packed.Write(answer.Body.Bytes())
		_ = packed.Close()
	}
}

func inGzip(w io.Writer) io.WriteCloser   { return gzip.NewWriter(w) }
func inZlib(w io.Writer) io.WriteCloser   { return zlib.NewWriter(w) }
func inBrotli(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }

func inZstd(w io.Writer) io.WriteCloser {
	packed, _ := zstd.NewWriter(w)
	return packed
}

func inUTF16(answer *httptest.ResponseRecorder, w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-16")
	var body []byte
	for _, unit := range utf16.Encode([]rune(answer.Body.String())) {
		body = append(body, byte(unit), byte(unit>>8))
	}
	_, _ = w.Write(body)
}

func asText(answer *httptest.ResponseRecorder, w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
	_, _ = w.Write(answer.Body.Bytes())
}

// bomb is 256 MB of nothing, packed into a quarter of one.
var bomb = sync.OnceValue(func() []byte {
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
			_, _ = w.Write(bomb())
		})
	}
}

const page = "<!DOCTYPE html><html><title>Sign in</title><script>alert(1)</script></html>"

func bodyFaults() []fault {
	const group = "The answer is not what it should be"
	list := "an object without the list is how some write an empty one; a notice says so"
	leftOut := map[string]string{"Main API query": list, "Main API annotation": list, "Main API variable": list, "Main API health": list}
	empty := "null is how some write an empty list"
	nullList := map[string]string{"Metrics variable": empty, "Fine-tuning query": empty, "Fine-tuning annotation": empty, "Fine-tuning variable": empty,
		"Fine-tuning resource": empty, "Fine-tuning health": empty}
	maps.Copy(nullList, leftOut)
	return []fault{
		{group: group, name: "a body that breaks off", spoil: rewritten(cutBody)},
		{group: group, name: "half of the JSON, sent as if it were whole", spoil: rewritten(cutJSON), but: map[string]string{
			"Fine-tuning download": "an archive's end can't be told but by its length, which is that of the half",
		}},
		{group: group, name: "compression that breaks off", spoil: rewritten(cutGzip)},
		{group: group, name: "gzip, written GZIP", whole: true, spoil: rewritten(coded("GZIP", inGzip))},
		{group: group, name: "zstd, although not asked for", whole: true, spoil: rewritten(coded("zstd", inZstd))},
		{group: group, name: "deflate, although not asked for", whole: true, spoil: rewritten(coded("deflate", inZlib))},
		{group: group, name: "br, although not asked for", whole: true, spoil: rewritten(coded("br", inBrotli))},
		{group: group, name: "a content coding that isn't known", spoil: rewritten(coded("compress", inGzip))},
		{group: group, name: "a gzip bomb", spoil: gzipBomb(200)},
		{group: group, name: "a gzip bomb as a failure", spoil: gzipBomb(500)},
		{group: group, name: "nothing, as 200", spoil: instead("application/json", "")},
		{group: group, name: "nothing, as 204", spoil: noContent},
		{group: group, name: "a web page, as 200", spoil: instead("text/html", page)},
		{group: group, name: "a web page, called JSON", spoil: instead("application/json", page)},
		{group: group, name: "a web page, without a type", spoil: instead("", page)},
		{group: group, name: "plain text, as 200", spoil: instead("text/plain", "no healthy upstream")},
		{group: group, name: "UTF-16 instead of UTF-8", spoil: rewritten(inUTF16), but: map[string]string{
			"Fine-tuning download": "an archive has no character set; its contents are not looked at",
		}},
		{group: group, name: "the right JSON, called text", whole: true, spoil: rewritten(asText)},
		{group: group, name: "null", spoil: instead("application/json", "null")},
		{group: group, name: "an empty object", spoil: instead("application/json", "{}"), but: leftOut},
		{group: group, name: "an empty array", spoil: instead("application/json", "[]")},
		{group: group, name: "a number", spoil: instead("application/json", "7")},
		{group: group, name: "a failure as 200, in the platform's form", spoil: instead("application/json", `{"code":"internal_error","message":"`+itsWords+`"}`)},
		{group: group, name: "a failure as 200, in the gateway's form", spoil: instead("application/json", `{"error":{"message":"`+itsWords+`","type":"server_error"}}`)},
		{group: group, name: "a failure as 200, in Prometheus' form", spoil: instead("application/json", `{"status":"error","errorType":"internal","error":"`+itsWords+`"}`)},
		{group: group, name: "a failure as 200, without words", spoil: instead("application/json", `{"status":"error"}`)},
		{group: group, name: "a success without data", spoil: instead("application/json", `{"status":"success"}`), but: leftOut},
		{group: group, name: "a success with null for data", spoil: instead("application/json", `{"status":"success","data":null}`), but: nullList},
	}
}
