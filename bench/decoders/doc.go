// Package decoders measures the decoder of PromQL results beside that of Grafana's own Prometheus data source, in a module of its
// own, so that nothing else depends on that: `GOWORK=off go test -bench . ./...` in this folder.
package decoders
