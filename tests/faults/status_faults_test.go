package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

const platformMessage = "the platform's message"

// errorBody is an error body in the form of the requested service.
func errorBody(r *http.Request, message string) string {
	quoted, _ := json.Marshal(message)
	switch {
	case strings.Contains(r.URL.Path, "/intelligence/"):
		return fmt.Sprintf(`{"error":{"message":%s,"type":"an_error","code":null}}`, quoted)
	case strings.Contains(r.URL.Path, "/capacities"):
		return fmt.Sprintf(`{"code":"a_code","error_id":"e-1","message":%s,"reason":"another"}`, quoted)
	}
	return fmt.Sprintf(`{"code":"a_code","message":%s}`, quoted)
}

// status responds with a status, headers and an error body.
func status(code int, headers ...string) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for i := 0; i+1 < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(code)
			_, _ = w.Write([]byte(errorBody(r, platformMessage)))
		})
	}
}

// engineTimeout is Prometheus' response to a query that exceeds its time limit.
func engineTimeout(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"status":"error","errorType":"timeout","error":"` + platformMessage + `"}`))
	})
}

// first injects a fault into the first request to each service only.
func first(inject func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	return func(healthy http.Handler) http.Handler {
		var met sync.Map
		faulty := inject(healthy)
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

// echo responds with the status 500 and the whole request in the message.
func echo(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message := fmt.Sprintf("%s http://%s%s Authorization: %s, %s: %s, connect %s refused",
			r.Method, r.Host, r.URL.Path, r.Header.Get("Authorization"), secretHeaderName, r.Header.Get(secretHeaderName), r.Host)
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(errorBody(r, message)))
	})
}

func statusFaults() []fault {
	var all []fault
	for _, code := range []int{400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 414, 422, 431, 451, 500, 501, 502, 503, 504, 505, 507, 511} {
		all = append(all, fault{name: fmt.Sprintf("%d %s", code, http.StatusText(code)), inject: status(code)})
	}
	anHour := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	notRetried := "a health check is not retried"
	health := map[string]string{"Metrics health": notRetried, "Fine-tuning health": notRetried, "Main API health": notRetried}
	// The plugin's own requests for details of jobs may be what the gateway limits, so that a health check waits and is sent again.
	limited := map[string]string{"Metrics health": notRetried, "Main API health": notRetried}
	return append(all,
		fault{name: "500 with the request in its message", inject: echo},
		fault{name: "503 once", complete: true, exceptions: health, inject: first(status(503))},
		fault{name: "429 once", complete: true, exceptions: limited, inject: first(status(429))},
		fault{name: "429 once, wait 1 second", complete: true, exceptions: limited, inject: first(status(429, "Retry-After", "1"))},
		fault{name: "429 once, wait 50 ms", complete: true, exceptions: limited, inject: first(status(429, "Retry-After-Ms", "50"))},
		fault{name: "503 of the query engine after its time limit", inject: engineTimeout},
		fault{name: "429 always", waits: true, inject: status(429)},
		fault{name: "429 always, wait 50 ms", inject: status(429, "Retry-After-Ms", "50")},
		fault{name: "429 always, wait an hour", inject: status(429, "Retry-After", "3600")},
		fault{name: "429 always, wait until a date", inject: status(429, "Retry-After", anHour)},
		fault{name: "429 always, wait 90000 ms", inject: status(429, "Retry-After-Ms", "90000")},
		fault{name: "429 always, invalid wait", waits: true, inject: status(429, "Retry-After", "soon")},
	)
}
