// Package mainapi queries the platform's main API, whose requests are signed: capacities, and any other list.
//
// A [Signer] signs each attempt of a request, so that each has a fresh timestamp. A [Client] reads lists page by page and
// makes frames of them. It sends GET requests only.
//
// # Where to find what
//
//   - query.go has the table of query types: list_query.go runs queries of lists, and capacities_query.go those of
//     capacities.
//   - list_path.go checks paths, and limits.go has the bounds.
//   - client.go has the client, paging.go reads lists through the cache, page.go the items of one response as a stream, and
//     items.go reads lists for other packages.
//   - sign.go signs requests; query_form.go finds out the encoding of the canonical query.
//   - columns.go makes tables; numeric_frames.go and time_series.go make numbers and time series of them.
package mainapi
