// Package mainapi is the platform's main API, below /v1: capacities and lists of what an organization has. Each request must be
// signed. Only GET is served.
//
// Capacities and instances follow the scenario: capacity is what no job holds, and a failed GPU drains its machine. The other
// lists are fixtures, in lists, whose names are those of the labels of the metrics.
//
// # Where to find what
//
//   - api.go routes requests and has the table of lists; list_request.go reads parameters and pages.
//   - signature.go checks signatures, and canonical.go the canonical query.
//   - capacities.go and instances.go follow the scenario; fixtures.go reads the other lists.
package mainapi
