// Package transport builds the HTTP client of every service. The plugin sends no request without it.
//
// A client applies Grafana's HTTP settings (TLS, proxy, timeouts, custom headers), adds the service's credential, removes
// headers about Grafana's users, retries requests that only read, limits concurrency, opens a circuit breaker after many failures,
// refuses redirects, decodes and limits response bodies, and redacts secrets. Every failure is an
// [Error]: a kind, the HTTP status, and a message for the user without address, header and secret.
package transport
