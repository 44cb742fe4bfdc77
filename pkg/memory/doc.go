// Package memory bounds what the process takes of the machine that it shares with Grafana: all caches together, and the heap.
package memory
