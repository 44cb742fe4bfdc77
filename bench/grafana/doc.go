// Package grafana speaks to a running Grafana over its HTTP API, as far as measuring through it needs.
package grafana
