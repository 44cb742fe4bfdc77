// Package promql parses PromQL within bounds.
//
// Prometheus' parser takes time and memory that grow with the square of an expression's nesting, and it compiles every
// regular expression of a label matcher. Eight kilobytes can cost it seconds and hundreds of megabytes. So a scan that is
// linear in the text's length comes before every call of the parser, and an expression over a bound is not parsed.
package promql
