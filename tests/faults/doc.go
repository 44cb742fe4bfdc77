// Package faults holds the tests of what happens when the platform, or the network before it, fails: every service, by
// every fault, through every endpoint. Their messages are written into testdata/messages.txt, and are checked against it.
//
// To write them again: UPDATE_MESSAGES=1 go test ./tests/faults -run TestFaultMatrix
package faults
