// Package platform is the simulated platform on one http.Handler: routing, credentials, errors in the
// platform's shape, and a control endpoint at /_control/ that injects faults and counts requests.
//
// Tests use it in-process, through httptest and the methods of Platform; everything else reaches the
// same faults and counters as JSON over the control endpoint:
//
//	GET, POST, DELETE /_control/faults     list, add one, clear
//	GET, DELETE       /_control/counters   read, reset
//	GET               /_control/runs       what is true of training runs
//	GET               /_control/training   what goes wrong with their training
//	GET               /_control/gpu-time   what the minutes of GPUs went into
//	GET               /_control/slowdowns  what slowed GPUs
//
// # Where to find what
//
//   - platform.go routes requests to the services, and checks the monitoring token; config.go has the settings and their defaults.
//   - fault.go keeps faults and chooses the one of a request, and fault_handler.go responds with it.
//   - control.go serves the control endpoint, counters.go counts requests, runs.go has the truth of runs, training.go that of their training,
//     and insight.go that of GPU time and slowdowns.
//   - encoding.go compresses responses, errors.go writes errors, and certificate.go makes the certificate of HTTPS.
//   - spec_only.go limits the metrics endpoint to what the specification documents; upstream.go serves it from a query engine.
package platform
