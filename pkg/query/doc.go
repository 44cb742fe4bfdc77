// Package query has what the query types of all services share: values of saved JSON, errors, and the making of results.
package query
