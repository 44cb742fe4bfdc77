// Package platform is the simulated platform on one http.Handler: routing, credentials, errors in the
// platform's shape, and a control endpoint at /_control/ that injects faults.
//
// Tests use it in-process, through httptest and the methods of Platform; everything else reaches the
// same faults as JSON over the control endpoint:
//
//	POST, DELETE /_control/faults     add one, clear
package platform
