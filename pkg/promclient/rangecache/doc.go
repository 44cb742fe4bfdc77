// Package rangecache caches the results of PromQL queries, so that the refreshes of many dashboards and alert rules cost
// the platform one small request each.
//
// The result of a range query is a matrix: for each time series, a value at each step. Once a step is older than the recent
// window, no late sample changes it, and it has the same value in every range that contains it. So an entry of the cache is
// an extent: a matrix of consecutive steps, and up to which of them it is final. A refresh fetches the steps that the extent
// lacks and those within the recent window, and merges the response into the extent.
//
// Steps are reused only for queries whose value at a step depends on nothing but samples up to that step. [Analyze] reports
// whether an expression is one of these. All other queries bypass the cache.
//
// No new sample is expected before the current scrape interval ends, so a result that was fetched in an interval is reused
// until its end. Identical calls at the same time are coalesced into one request.
//
// A result from the cache has, for each series and each sample, exactly what the platform returned at the time [Origin.AsOf].
//
// # Where to find what
//
//   - range.go runs a range query: it selects the extent, and counts hits and misses.
//   - fetch_plan.go decides which steps come from the extent, and which are fetched.
//   - cacheability.go decides whether the steps of an expression can be reused at all.
//   - fetch.go sends the requests of a plan, and stores the new extent. split.go requests a long range in parts, if pace.go has
//     measured that the platform is slow, and leftovers.go stores the parts that succeeded when another one failed.
//   - extent.go merges responses into an extent, and decides which steps are final.
//   - matrix.go, matrix_merge.go, matrix_from_frames.go and matrix_to_frames.go hold the samples.
//   - annotations.go keeps Prometheus' infos with the steps that they belong to. Responses with warnings are not cached.
//   - alignment.go recognizes engines that move the ends of a range to multiples of the step.
//   - response.go has a response of the platform, and the origin of a result: how much of it is from the cache.
//   - instant.go caches instant queries, and lookup.go caches lists of label names, label values and series.
//   - coalesce.go makes one call of identical ones; bypass.go turns the cache off for a request.
//   - cache.go stores entries within a limit of memory, which size.go measures; instrumentation.go has the Prometheus metrics.
package rangecache
