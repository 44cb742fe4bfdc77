// Package memory keeps the process small on a machine that it shares with Grafana.
//
// Left alone, Go's collector lets the heap grow to twice of what lives before it collects, so a full cache would cost as much
// again in garbage. Collecting sooner is cheap for a program that mostly waits for the platform.
package memory
