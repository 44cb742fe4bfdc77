// Package process starts a Grafana backend plugin and keeps it running, over the protocol and with the
// environment that Grafana itself uses.
package process
