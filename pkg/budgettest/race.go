//go:build race

package budgettest

// overhead is what the race detector takes: https://go.dev/doc/articles/race_detector#Runtime_Overheads says up to 20 times of
// the time and 10 times of the memory; among others, sync.Pool then drops what it is given at random.
const overhead = 20
