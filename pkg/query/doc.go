// Package query has what the query types of all services share: values of saved JSON, errors, and the making of results.
//
// # Where to find what
//
//   - saved.go reads lists and numbers of saved JSON, choices.go options that filter, and query.go has the error of a query.
//   - frames.go makes frames of Grafana's types, columns.go their fields, labels.go the labels of fields and their columns, and
//     annotations.go annotations.
//   - notices.go collects notices; wording.go writes numbers and names for them.
//   - times.go compares times.
package query
