// Command host runs the built data source backend the way Grafana runs it and serves the few Grafana
// routes that the preview page needs, so that the plugin can be seen on a machine without Grafana.
//
// It starts the backend binary with HashiCorp's plugin protocol and translates HTTP to
// gRPC: queries, resources, health and settings. It knows nothing about what the plugin does.
//
// Packages: process runs the binary, settings keeps the one data source, proxy follows the routes of
// plugin.json, routes has the HTTP handlers.
package main
