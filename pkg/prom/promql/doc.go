// Package promql parses PromQL within bounds.
//
// The time and memory of Prometheus' parser grow with the square of the nesting of an expression, and it compiles the regular
// expressions of label matchers. A few kilobytes can cost seconds and hundreds of megabytes. So a scan in linear time precedes
// every call of the parser: expressions over a bound are not parsed, and the parser reads regular expressions as plain values.
package promql
