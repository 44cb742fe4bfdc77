// Package tuning queries the platform's fine-tuning gateway: jobs, their checkpoints, events and training metrics, and
// training files, as frames for dashboards, alert rules and Explore, as annotations, and as choices for editors.
//
// The specification guarantees only the id and the status of a job. Every record is therefore read member by member: a
// member that is missing, null or of another type is null in the result. The package sends GET requests only.
//
// Details of finished jobs don't change, and their cache entries don't expire; those of other jobs expire after seconds.
// Identical requests are coalesced, and the number of concurrent requests is limited.
//
// # Where to find what
//
//   - query.go has the table of query types, and runs a saved query.
//   - jobs_query.go runs queries for jobs: a table, or the formats of jobs_results.go, jobs_timeline.go, jobs_count.go and
//     jobs_overdue.go. checkpoints_query.go, curves_query.go, events_query.go, files_query.go and annotations_query.go run the
//     other types; annotations_of_jobs.go and annotations_density.go make the annotations.
//   - select_jobs.go selects the jobs of a query, and unmatched_filters.go explains filters without a job.
//   - fetch_details.go fetches the events, checkpoints and metrics of many jobs, for a limited time; fetch_queue.go orders the
//     requests, pace.go keeps them within the rate limit of the gateway, and reader.go reads what is cached.
//   - gateway.go caches lists, jobs and details; paging.go reads lists page by page; client.go sends requests.
//   - record.go reads members of a record; job.go and details.go make jobs, checkpoints and events of them; status.go has
//     the statuses and their colors.
//   - columns.go makes the fields of frames, links.go their data links; newest.go keeps the first of many rows.
//   - runs.go reads jobs as training runs, for package runs.
//   - editor_choices.go serves the lists of editors and variables, download.go the files of checkpoints.
package tuning
