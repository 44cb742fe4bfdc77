package faults

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"time"
)

// delayed responds after a while, unless the client cancels.
func delayed(wait time.Duration) func(http.Handler) http.Handler {
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(wait):
				healthy.ServeHTTP(w, r)
			case <-r.Context().Done():
			}
		})
	}
}

// sendByteByByte writes single bytes to the connection until the client closes it.
func sendByteByByte(head string) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			if _, err := conn.Write([]byte(head)); err != nil {
				return
			}
			for range 300 { // longer than every timeout
				time.Sleep(100 * time.Millisecond)
				if _, err := conn.Write([]byte(" ")); err != nil {
					return
				}
			}
		})
	}
}

// stallHalfway sends the first half of a body.
func stallHalfway(healthy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		response := httptest.NewRecorder()
		healthy.ServeHTTP(response, r)
		_, _ = w.Write(response.Body.Bytes()[:response.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

// inPieces sends a body as many small writes.
func inPieces(response *httptest.ResponseRecorder, w http.ResponseWriter) {
	for _, name := range []string{"Content-Type", "Date"} {
		w.Header().Set(name, response.Header().Get(name))
	}
	w.WriteHeader(response.Code)
	for piece := range slices.Chunk(response.Body.Bytes(), 600) {
		_, _ = w.Write(piece)
		_ = http.NewResponseController(w).Flush()
		time.Sleep(time.Millisecond)
	}
}

// short is for faults that end by the timeout, whatever it is.
var short = values{"timeout": 1}

func slowFaults() []fault {
	return []fault{
		{name: "no response", settings: short, inject: delayed(time.Minute)},
		{name: "header byte by byte", settings: short, inject: sendByteByByte("HTTP/1.1 200 OK\r\nX-Slow: ")},
		{name: "body byte by byte", settings: short, inject: sendByteByByte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4096\r\n\r\n")},
		{name: "body that stalls halfway", settings: short, inject: stallHalfway},
		{name: "small pieces", complete: true, inject: rewrite(inPieces)},
		{name: "delay below the timeout", complete: true, inject: delayed(200 * time.Millisecond)},
	}
}
