// Package timing measures pieces of work that are compared with each other.
package timing
