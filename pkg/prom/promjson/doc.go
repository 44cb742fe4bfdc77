// Package promjson decodes responses of the Prometheus query API into data frames.
//
// It decodes a response in one pass while it arrives, and holds only the frames in memory. It is several times as fast as
// general JSON libraries, and decoding dominates the processor time of a metrics data source.
package promjson
