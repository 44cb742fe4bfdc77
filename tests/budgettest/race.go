//go:build race

package budgettest

// overhead is the factor of the race detector: up to 20 for time and 10 for memory, and sync.Pool randomly drops values.
//
// Source: https://go.dev/doc/articles/race_detector#Runtime_Overheads
const overhead = 20
