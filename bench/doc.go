// Package bench measures the backend by `go test -bench`, on a simulated platform in the same process: what a query costs beside the
// request that it sends, and what caches and reports of runs save the platform. benchstat compares two runs.
//
// The package decoders, a module of its own, measures the decoder beside that of Grafana's Prometheus data source. What a person
// waits for in a Grafana is in timing.spec.ts, and load.mjs loads a Grafana while the platform fails.
package bench
