// Package plugin is the data source as Grafana sees it: settings in, queries, resources and health out.
//
// It reads Grafana's settings, makes a client for each service of the platform that they configure, hands each query to
// the service its type names, and maps failures to Grafana's status and error source. Nothing about PromQL, signing or
// the services' formats is known here.
package plugin
