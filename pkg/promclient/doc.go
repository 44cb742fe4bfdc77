// Package promclient is the client of the platform's Prometheus-compatible endpoint. It runs PromQL queries of dashboards and
// alert rules, and serves the Prometheus HTTP API to editors, variables and public clients.
//
// Its queries are those of Grafana's Prometheus data source, so panels of such a data source work without changes.
// Deployments of the platform serve different endpoints; [Client] detects which of them work.
//
// # Where to find what
//
//   - query_data.go runs a saved query and makes its frames; query.go parses it.
//   - expression.go evaluates PromQL for other packages.
//   - interval.go computes the step and replaces macros; filters.go applies ad hoc filters and scopes; legend.go names series.
//   - table.go, heatmap.go and pack.go make frames of the formats; native_histogram.go and cell_limit.go serve them.
//   - until_end.go adds a point at the end of a range whose steps are long.
//   - sources.go runs a query where its samples are: on the metrics endpoint, on the archive, or on both.
//   - fetch.go sends range and instant queries, through the cache of package rangecache; attempts.go measures them.
//   - archive.go divides a query at the time from which on the platform has all samples, join.go joins the series of both
//     parts, bucket_labels.go finds those that the archive spells otherwise, and archive_lists.go merges lists.
//   - client.go builds HTTP requests; endpoints.go detects which endpoints a deployment serves; instant_by_range.go replaces the
//     instant query where its endpoint takes no time.
//   - http_api.go serves the Prometheus HTTP API, params.go checks its parameters, derived_lookups.go derives lists by PromQL
//     where the platform has no endpoint for them, and suggestions.go serves those of the editor. encode_result.go encodes results
//     of the cache, and catalog.go has the metadata of known metrics.
//   - federate.go and export.go write samples for other engines, in the formats of package exposition.
//   - result_limits.go bounds results.
//
// Package promjson decodes responses, package promql parses PromQL within bounds, package rangecache caches results, and package
// packed makes frames for the front end.
package promclient
