// Package mainapi is the platform's main API, below /v1: capacities and lists of what an organization has. Each request must be
// signed. Only GET is served.
//
// Capacities and instances follow the scenario: capacity is what no job holds, and a failed GPU drains its machine. The other
// lists are fixtures, in lists, whose names are those of the labels of the metrics.
package mainapi
