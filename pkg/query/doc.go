// Package query has what the query types of all services share: values of saved JSON, errors, and the making of results.
//
// # Where to find what
//
//   - record.go reads members of responses. saved.go reads saved options, choices.go those that filter, and
//     query.go has the error of a query.
//   - frames.go makes frames of Grafana's types, columns.go their fields, labels.go the labels of fields and their columns, and
//     annotations.go annotations.
//   - notices.go collects notices; wording.go writes numbers and names for them.
//   - times.go compares times. upstream.go shares what a request may ask of the platform among its queries.
package query
