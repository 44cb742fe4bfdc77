// Package routes serves the Grafana HTTP routes that a data source's front end calls, with requests to
// the backend over gRPC. Bodies, statuses and headers are shaped as Grafana shapes them.
//
//	POST     /api/ds/query
//	GET      /api/datasources/uid/{uid}/health
//	ANY      /api/datasources/uid/{uid}/resources/…
//	GET, PUT /api/datasources/uid/{uid}
//	ANY      /api/datasources/proxy/uid/{uid}/…   by the routes of plugin.json
//	GET      /public/plugins/{pluginId}/…   the built plugin
//	GET      /…                             the preview page
package routes
