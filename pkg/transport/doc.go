// Package transport builds the HTTP client of every service. The plugin sends no request without it.
//
// A client applies Grafana's HTTP settings (TLS, proxy, timeouts, custom headers), adds the service's credential, removes
// headers about Grafana's users, retries requests that only read, limits concurrency, opens a circuit breaker after many failures,
// refuses redirects to another origin, decodes and limits response bodies, and redacts secrets. Every failure is an
// [Error]: a kind, the HTTP status, and a message for the user without address, header and secret.
//
// # Where to find what
//
//   - client.go makes a client: its limits of time and size, and the order of what a request passes through.
//   - get.go sends a GET request and reads the response, with read_all.go.
//   - headers.go adds the credential and removes Grafana's headers; redirect.go refuses other origins.
//   - concurrency.go limits concurrent requests by a bulkhead, which bulkhead.go has, with permits for alert rules.
//   - retry.go decides which requests are sent again, and when.
//   - circuitbreaker.go stops requests to a service that is down; outage.go decides what counts as down.
//   - decode.go decodes content codings.
//   - redact.go overwrites secrets in messages and in response bodies; log_cause.go leaves addresses out of what is logged.
//   - errors.go has the kinds of errors and their messages; cause.go classifies failures without a response, error_body.go reads
//     the message of an error response, and clock_skew.go explains refused signatures.
//   - instrumentation.go has the Prometheus metrics and the spans.
package transport
