// Package plugin implements the data source for Grafana: settings, queries, resources and health checks.
//
// It reads the settings, makes a client for each configured service of the platform, dispatches each query by its type, and
// maps errors to Grafana's statuses and error sources. PromQL, signing and the services' formats are in other packages.
//
// # Where to find what
//
//   - serve.go serves Grafana until the process is stopped, and ends the queries under way then.
//   - datasource.go makes a data source of its settings, which settings.go, cache_settings.go and secrets.go read.
//   - query.go has the table of query types, and runs the queries of a request; admission.go limits their number and size.
//   - service.go is what the services have in common; metrics_service.go, archive.go, gateway_service.go and
//     mainapi_service.go make their clients. runs_client.go makes the client of runs on top of two of them.
//   - metrics_resources.go, federate_and_export.go and gateway_resources.go serve resources, cache_control.go the one that clears
//     the caches. roles.go has who may use them, streams.go bounds those that are under way, and exact_paths.go refuses all
//     other paths.
//   - health.go runs Save & test.
//   - errors.go maps errors to Grafana's statuses and error sources.
//   - instrumentation.go has the Prometheus metrics, the spans and the log messages of queries.
package plugin
