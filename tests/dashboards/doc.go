// Package dashboards tests the dashboards that come with the plugin: as JSON, and by asking every query of theirs of a
// simulated platform through the plugin's own doors, with their variables filled in as Grafana would.
package dashboards
