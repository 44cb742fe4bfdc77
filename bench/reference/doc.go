// Package reference decodes responses of a Prometheus query API in the usual way: with json-iterator, a field of a frame
// growing by each sample. It is what the plugin's own decoder is measured against, and used for nothing else.
package reference
