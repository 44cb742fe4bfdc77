// Package promclient asks the platform's Prometheus-compatible endpoint: PromQL queries from dashboards and alert rules,
// and the Prometheus HTTP API for editors, variables and public clients.
//
// A [Query] is Grafana's own Prometheus query, so that a panel made for a Prometheus data source works here unchanged.
// Deployments differ in which paths they serve; [Client] finds out what works and stays with it.
package promclient
