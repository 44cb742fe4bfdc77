package platform

import (
	"bytes"
	"cmp"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"
)

// handleFault responds as a fault says. uncompressed writes past compression, compressed through it.
func (p *Platform) handleFault(f hit, rt route, uncompressed *meter, compressed http.ResponseWriter, r *http.Request) {
	if !sleep(r, f.wait) {
		return
	}
	if f.retryAfter > 0 {
		uncompressed.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
	for name, value := range f.Headers {
		uncompressed.Header().Set(name, value)
	}
	switch f.Kind {
	case FaultHang:
		uncompressed.count(noResponse)
		hang(f, r)
	case FaultDelay:
		rt.serve(compressed, r)
	case FaultCutBody:
		cut(uncompressed, f.record(rt, r))
	case FaultReset:
		uncompressed.count(noResponse)
		reset(uncompressed)
	case FaultSlowBody:
		trickle(uncompressed, r, f.record(rt, r), f.Delay)
	case FaultRedirect:
		uncompressed.Header().Set("Location", f.Location)
		uncompressed.WriteHeader(cmp.Or(f.Status, http.StatusFound))
	case FaultHTML:
		f.ContentType = "text/html; charset=utf-8"
		f.write(compressed, http.StatusBadGateway, cmp.Or(f.Body, page))
	default:
		f.write(compressed, http.StatusInternalServerError, f.Body)
	}
}

const page = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>" +
	"<body><center><h1>502 Bad Gateway</h1></center></body></html>\n"

// write writes the fault's own response.
func (f *Fault) write(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", cmp.Or(f.ContentType, "application/json"))
	w.WriteHeader(cmp.Or(f.Status, status))
	_, _ = w.Write([]byte(body)) // the client may have gone
}

// recorded is a response that is held back.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) WriteHeader(status int)      { r.status = cmp.Or(r.status, status) }
func (r *recorded) Write(b []byte) (int, error) { return r.body.Write(b) }

// record keeps the fault's own response or, if it has no body, the usual one.
func (f *Fault) record(rt route, r *http.Request) *recorded {
	rec := &recorded{header: http.Header{}}
	if f.Body == "" {
		rt.serve(rec, r)
	} else {
		f.write(rec, http.StatusOK, f.Body)
	}
	return rec
}

// begin sends the head of a recorded response, with its full length.
func (r *recorded) begin(w http.ResponseWriter) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(r.body.Len()))
	w.WriteHeader(cmp.Or(r.status, http.StatusOK))
}

func hang(f hit, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-f.cleared:
	}
	panic(http.ErrAbortHandler)
}

func cut(w http.ResponseWriter, rec *recorded) {
	rec.begin(w)
	_, _ = w.Write(rec.body.Bytes()[:rec.body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// trickle sends a body in pieces over a time.
func trickle(w http.ResponseWriter, r *http.Request, rec *recorded, over time.Duration) {
	const pieces = 20
	rec.begin(w)
	body := rec.body.Bytes()
	for i := range pieces {
		if !sleep(r, over/pieces) {
			return
		}
		_, _ = w.Write(body[len(body)*i/pieces : len(body)*(i+1)/pieces])
		_ = http.NewResponseController(w).Flush()
	}
}

// reset closes the connection at once, so that the client sees a reset rather than an end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2 has no connection of its own: the stream is reset
	}
	raw := conn
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok {
		raw = wrapped.NetConn()
	}
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = raw.Close()
}
