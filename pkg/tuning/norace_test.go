//go:build !race

package tuning_test

const slowdown = 1
