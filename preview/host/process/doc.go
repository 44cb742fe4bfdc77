// Package process runs a Grafana backend plugin, over the protocol and with the environment that Grafana itself uses.
package process
