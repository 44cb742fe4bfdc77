package platform

import (
	"cmp"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
)

// handleFault responds as a fault says.
func (p *Platform) handleFault(f hit, rt route, w *meter, r *http.Request) {
	if !sleep(r, f.wait) {
		return
	}
	for name, value := range f.Headers {
		w.Header().Set(name, value)
	}
	switch f.Kind {
	case FaultHang:
		w.count(noResponse)
		hang(f, r)
	case FaultDelay:
		compress(rt.serve)(w, r)
	case FaultCutBody:
		cut(w, f.record(rt, r))
	case FaultRedirect:
		w.Header().Set("Location", f.Location)
		w.WriteHeader(cmp.Or(f.Status, http.StatusFound))
	case FaultHTML:
		f.ContentType = "text/html; charset=utf-8"
		f.compressed(w, r, http.StatusBadGateway, cmp.Or(f.Body, page))
	default:
		f.compressed(w, r, http.StatusInternalServerError, f.Body)
	}
}

const page = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>" +
	"<body><center><h1>502 Bad Gateway</h1></center></body></html>\n"

func (f *Fault) compressed(w http.ResponseWriter, r *http.Request, status int, body string) {
	compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { f.write(w, status, body) }))(w, r)
}

// write writes the fault's own response.
func (f *Fault) write(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", cmp.Or(f.ContentType, "application/json"))
	w.WriteHeader(cmp.Or(f.Status, status))
	_, _ = w.Write([]byte(body)) // the client may have gone
}

// record keeps the fault's own response or, if it has no body, the usual one.
func (f *Fault) record(rt route, r *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	if f.Body == "" {
		rt.serve(rec, r)
	} else {
		f.write(rec, http.StatusOK, f.Body)
	}
	return rec
}

func hang(f hit, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-f.cleared:
	}
	panic(http.ErrAbortHandler)
}

// cut sends the head of a recorded response, with its full length, and half of the body.
func cut(w http.ResponseWriter, rec *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), rec.Header())
	w.Header().Set("Content-Length", strconv.Itoa(rec.Body.Len()))
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
