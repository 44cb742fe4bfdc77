// Package promjson reads the answers of a Prometheus query API straight into data frames.
//
// It is a single pass over the bytes as they arrive: nothing of the body is kept but the frames. No general JSON library
// comes near its speed on this shape, and reading answers is where a metrics data source spends its time.
package promjson
