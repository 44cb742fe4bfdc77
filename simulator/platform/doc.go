// Package platform is the simulated platform on one http.Handler: routing, credentials, errors in the
// platform's shape, and a control endpoint at /_control/ that injects faults and counts requests.
//
// Tests use it in-process, through httptest and the methods of Platform; everything else reaches the
// same faults and counters as JSON over the control endpoint:
//
//	GET, POST, DELETE /_control/faults     list, add one, clear
//	GET, DELETE       /_control/counters   read, reset
package platform
