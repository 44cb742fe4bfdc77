// Package promapi serves the part of Prometheus' HTTP API that the platform's metrics endpoint has:
// instant and range queries, label names and label values. Queries run in the real PromQL engine.
//
// Responses, errors and limits are those of Prometheus: https://prometheus.io/docs/prometheus/latest/querying/api/
package promapi
