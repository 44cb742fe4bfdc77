// Package alerts evaluates the provisioned alert rules on the simulated platform, each in a state in which it fires and in
// one in which it is quiet. Queries go through the plugin; what Grafana makes of their answers is done here as Grafana does
// it, with Grafana's own library for reading frames, because its expression package can't be used as a module.
package alerts
