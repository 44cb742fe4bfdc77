// Package dashboards tests the dashboards of the plugin: their JSON, and every query, through the plugin on a simulated
// platform, with variables interpolated like Grafana.
package dashboards
