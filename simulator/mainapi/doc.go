// Package mainapi is the platform's main API, below /v1: capacities and lists of what an organization has.
// Each request must be signed, and the signature is checked to the letter.
//
// The lists are views of the scenario. Names are those of the labels of the metrics, capacity is what no job
// holds, and audit logs tell when jobs began and ended. Only GET is served.
package mainapi
