//go:build !race

package budgettest

const slowdown = 1
