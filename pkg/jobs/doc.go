// Package jobs queries fine-tuning jobs, their checkpoints, events and training metrics, and training files, on top of package
// gateway: as frames for dashboards, alert rules and Explore, as annotations, and as choices for editors.
//
// What the gateway does not report is null in the result.
//
// # Where to find what
//
//   - client.go makes the client. query.go has the table of query types, and runs a saved query.
//   - jobs_query.go runs queries for jobs: a table, or the formats of jobs_results.go, jobs_timeline.go and jobs_count.go.
//     checkpoints_query.go, curves_query.go, events_query.go, files_query.go and annotations_query.go run the
//     other types; annotations_of_jobs.go and annotations_density.go make the annotations.
//   - select_jobs.go selects the jobs of a query, and unmatched_filters.go explains filters without a job.
//   - details.go fetches details of many jobs, and explains those that are missing. history.go has the statuses of a job over time.
//   - statuses.go has the colors of statuses, links.go data links, and order.go the order of rows.
//   - runs.go reads jobs as training runs, for package runs.
//   - editor_choices.go serves the lists of editors and variables.
package jobs
