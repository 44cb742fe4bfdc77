//go:build !race

package budgettest

const overhead = 1
