// Package report collects what was measured and prints it as one table, or as JSON.
package report
