// Package platform queries the platform's main API, whose requests are signed: capacities, and any other list.
//
// A [Signer] signs each attempt of a request, so that each has a fresh timestamp. A [Client] reads lists page by page and
// makes frames of them. It sends GET requests only.
//
// # Where to find what
//
//   - query.go has the table of query types: list_query.go runs queries of lists, capacities_query.go those of capacities, and
//     gpu_capacities.go counts GPUs.
//   - list_path.go checks paths, jsonpath.go evaluates JSONPath within bounds, and limits.go has the bounds.
//   - client.go sends requests and caches their responses, whose size memory_size.go estimates; paging.go reads page by page,
//     and items.go does so for other packages.
//   - sign.go signs requests; query_form.go finds out the encoding of the canonical query.
//   - columns.go makes tables; numeric_frames.go, time_series.go and count_per_interval.go make numbers and time series of them.
//   - editor_metadata.go has the members of a list, for the editor; unmatched_column.go explains empty columns.
package platform
