// Package training says how training runs fare: what is wrong with their curves, since when, and when they will finish. Runs are
// fine-tuning jobs, or the series of a PromQL expression.
//
// # Where to find what
//
//   - query.go parses a saved query.
//   - jobs.go and series.go find runs and their curves.
//   - table.go, numbers.go and annotations.go make the frames of each format.
//   - Package findings examines the curves.
package training
