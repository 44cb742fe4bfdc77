// Package alerts evaluates the provisioned alert rules on the simulated platform, each in a state in which it fires and in
// one in which it does not. Queries go through the plugin. The evaluation follows Grafana's, with Grafana's library for
// reading frames, because Grafana's expression package can't be used as a module. Rules on metrics alone are also followed through
// days of healthy fleets.
package alerts
