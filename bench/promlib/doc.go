// Command promlib compares the plugin's decoder of Prometheus responses with the one of Grafana's own Prometheus data source,
// promlib. The bench runs it: `npm run bench -- -only decoding`.
//
// It is a module of its own, outside the workspace, because what promlib depends on must not be among the dependencies of the
// backend.
package main
