// Package platform is the simulated platform on one http.Handler: routing, credentials, errors in the
// platform's shape, and a control endpoint at /_control/ that injects faults and counts requests.
//
// Tests use it in-process, through httptest and the methods of Platform; everything else reaches the
// same faults and counters as JSON over the control endpoint:
//
//	GET, POST, DELETE /_control/faults     list, add one, clear
//	GET, DELETE       /_control/counters   read, reset
//
// # Where to find what
//
//   - platform.go routes requests to the services, and checks the monitoring token; config.go has the settings and their defaults.
//   - fault.go keeps faults and chooses the one of a request, and fault_handler.go responds with it.
//   - control.go serves the control endpoint, and counters.go counts requests.
//   - encoding.go compresses responses, errors.go writes errors, and certificate.go makes the certificate of HTTPS.
//   - spec_only.go limits the metrics endpoint to what the specification documents; upstream.go serves it from a query engine.
package platform
