package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

const itsWords = "the platform's own words"

// reasons are error bodies in the shapes that the services are known to use; the one of the service that is asked counts.
func reasonFor(r *http.Request, words string) string {
	quoted, _ := json.Marshal(words)
	switch {
	case strings.Contains(r.URL.Path, "/intelligence/"):
		return fmt.Sprintf(`{"error":{"message":%s,"type":"an_error","code":null}}`, quoted)
	case strings.Contains(r.URL.Path, "/capacities"):
		return fmt.Sprintf(`{"code":"a_code","error_id":"e-1","message":%s,"reason":"another"}`, quoted)
	}
	return fmt.Sprintf(`{"code":"a_code","message":%s}`, quoted)
}

// status answers with a status, headers and a reason.
func status(code int, headers ...string) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for i := 0; i+1 < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(code)
			_, _ = w.Write([]byte(reasonFor(r, itsWords)))
		})
	}
}

// engineTimeout is what Prometheus answers a query that takes longer than it allows.
func engineTimeout(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"status":"error","errorType":"timeout","error":"` + itsWords + `"}`))
	})
}

// first lets a fault meet the first request to each service only.
func first(spoil func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	return func(healthy http.Handler) http.Handler {
		var met sync.Map
		faulty := spoil(healthy)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, again := met.LoadOrStore(serviceOf(r), true); !again {
				faulty.ServeHTTP(w, r)
				return
			}
			healthy.ServeHTTP(w, r)
		})
	}
}

func serviceOf(r *http.Request) string {
	switch {
	case strings.Contains(r.URL.Path, "/intelligence/"):
		return tuningService
	case strings.Contains(r.URL.Path, "/metrics/timeseries"):
		return metricsService
	}
	return mainService
}

// echo fails, and repeats the whole request in its reason.
func echo(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		words := fmt.Sprintf("%s http://%s%s Authorization: %s, %s: %s, connect %s refused",
			r.Method, r.Host, r.URL.Path, r.Header.Get("Authorization"), secretHeaderName, r.Header.Get(secretHeaderName), r.Host)
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(reasonFor(r, words)))
	})
}

func statusFaults() []fault {
	const group = "The platform answers with a failure"
	var all []fault
	for _, code := range []int{400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 414, 422, 431, 451, 500, 501, 502, 503, 504, 505, 507, 511} {
		all = append(all, fault{group: group, name: fmt.Sprintf("%d %s", code, http.StatusText(code)), spoil: status(code)})
	}
	anHour := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	notRetried := "a health check is not retried: it says what it finds"
	health := map[string]string{"Metrics health": notRetried, "Fine-tuning health": notRetried, "Main API health": notRetried}
	return append(all,
		fault{group: group, name: "500 whose reason repeats the request", spoil: echo},
		fault{group: group, name: "503 once", whole: true, but: health, spoil: first(status(503))},
		fault{group: group, name: "429 once", whole: true, but: health, spoil: first(status(429))},
		fault{group: group, name: "429 once, wait 1 second", whole: true, but: health, spoil: first(status(429, "Retry-After", "1"))},
		fault{group: group, name: "429 once, wait 50 ms", whole: true, but: health, spoil: first(status(429, "Retry-After-Ms", "50"))},
		fault{group: group, name: "503 of the query engine, whose time was up", spoil: engineTimeout},
		fault{group: group, name: "429 always", spoil: status(429)},
		fault{group: group, name: "429 always, wait 1 second", spoil: status(429, "Retry-After", "1")},
		fault{group: group, name: "429 always, wait an hour", spoil: status(429, "Retry-After", "3600")},
		fault{group: group, name: "429 always, wait until a date", spoil: status(429, "Retry-After", anHour)},
		fault{group: group, name: "429 always, wait 90000 ms", spoil: status(429, "Retry-After-Ms", "90000")},
		fault{group: group, name: "429 always, wait for a nonsense", spoil: status(429, "Retry-After", "soon")},
	)
}
