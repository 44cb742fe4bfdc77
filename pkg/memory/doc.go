// Package memory bounds the memory of the process, which shares a machine with Grafana: of all caches, and of the heap.
package memory
