// Package prom is the client of the platform's Prometheus-compatible endpoint. It runs PromQL queries of dashboards and
// alert rules, serves the Prometheus HTTP API to editors, variables and public clients, and writes samples for other engines.
//
// Its queries are those of Grafana's Prometheus data source, so panels of such a data source work without changes.
// Deployments of the platform serve different endpoints; [Client] detects which of them work.
package prom
