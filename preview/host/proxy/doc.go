// Package proxy forwards requests by the routes of a plugin.json, as Grafana's data proxy does: a client speaks to the
// platform through the data source's address and holds no credential of the platform.
//
// A route is chosen by method and by the start of the path; its address and headers are templates over the data source's
// settings. Bodies stream both ways and are never held in memory.
//
// Format: https://grafana.com/developers/plugin-tools/how-to-guides/data-source-plugins/add-authentication-for-data-source-plugins#add-a-proxy-route-to-your-plugin
package proxy
