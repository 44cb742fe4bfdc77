// Package results caches the results of PromQL queries, so that the refreshes of many dashboards and alert rules cost
// the platform one small request each.
//
// The result of a range query is a matrix: for each time series, a value at each step. Once a step is older than the recent
// window, no late sample changes it, and it has the same value in every range that contains it. So an entry of the cache is
// an extent: a matrix of consecutive steps, and up to which of them it is final. A refresh fetches the steps that the extent
// lacks and those within the recent window, and merges the response into the extent.
//
// Steps are reused only for queries whose value at a step depends on nothing but samples up to that step. [promql.Needs] says whether an
// expression is one of these. All other queries bypass the cache.
//
// No new sample is expected before the current scrape interval ends, so a result that was fetched in an interval is reused
// until its end. Identical calls at the same time are coalesced into one request.
//
// A result from the cache has, for each series and each sample, exactly what the platform returned at the time [promql.Origin.AsOf].
package results
