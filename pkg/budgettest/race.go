//go:build race

package budgettest

// slowdown is what the race detector takes: https://go.dev/doc/articles/race_detector#Runtime_Overheads says up to 20 times.
const slowdown = 20
