// Package transport is the one way out of the plugin: it builds the HTTP client of every service.
//
// A client carries Grafana's HTTP settings (TLS, proxy, timeouts, custom headers), adds the service's credential,
// drops what Grafana would add about its users, retries what is safe to retry, refuses redirects to another origin,
// limits how much it reads, and turns every failure into an [Error]: a kind, the platform's status, and one sentence
// for the user that holds no address, no header and no secret.
package transport
