// Package plugin implements the data source for Grafana: settings, queries, resources and health checks.
//
// It reads the settings, makes a client for each configured service of the platform, dispatches each query by its type, and
// maps errors to Grafana's statuses and error sources. PromQL, signing and the services' formats are in other packages.
package plugin
