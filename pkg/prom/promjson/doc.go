// Package promjson decodes responses of the Prometheus HTTP API.
//
// It decodes a response in one pass while it arrives, and holds only its series in memory. It is several times as fast as
// general JSON libraries, and decoding dominates the processor time of a metrics data source.
package promjson
