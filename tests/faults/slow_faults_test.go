package faults

import (
	"net/http"
	"net/http/httptest"
	"time"
)

// late answers after a while, unless the client has gone before.
func late(wait time.Duration) func(http.Handler) http.Handler {
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

// dribble writes bytes one by one to the bare connection until the client has gone.
func dribble(head string) func(http.Handler) http.Handler {
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
			for range 300 { // longer than anyone's patience
				time.Sleep(100 * time.Millisecond)
				if _, err := conn.Write([]byte(" ")); err != nil {
					return
				}
			}
		})
	}
}

// stuck sends the first half of a body and then nothing.
func stuck(healthy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		healthy.ServeHTTP(answer, r)
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

func slowFaults() []fault {
	const group = "The answer takes too long"
	return []fault{
		{group: group, name: "no answer at all", spoil: late(time.Minute)},
		{group: group, name: "a head that comes byte by byte", spoil: dribble("HTTP/1.1 200 OK\r\nX-Slow: ")},
		{group: group, name: "a body that comes byte by byte", spoil: dribble("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4096\r\n\r\n")},
		{group: group, name: "a body that stops half-way", spoil: stuck},
		{group: group, name: "an answer that is late, but in time", whole: true, spoil: late(200 * time.Millisecond)},
	}
}
