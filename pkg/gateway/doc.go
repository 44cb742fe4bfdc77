// Package gateway reads the platform's fine-tuning gateway: jobs, their checkpoints, events and training metrics, files and
// models. It knows HTTP and records, and neither queries nor frames.
//
// The specification guarantees only the id and the status of a job. Every record is therefore read member by member: a
// member that is missing, null or of another type is nil or empty. The package sends GET requests only.
//
// Details of finished jobs don't change, and their cache entries don't expire; those of other jobs expire after seconds.
// Identical requests are coalesced, and the number of concurrent requests is limited.
//
// # Where to find what
//
//   - client.go sends requests, rate_limit.go keeps them within the rate limit of the gateway, and paging.go reads lists page by
//     page.
//   - lists.go reads the lists of jobs, files and models through the cache, job_details.go jobs and their details, and fetch.go
//     the details of many jobs, for a limited time. memory.go estimates what the cache holds.
//   - job.go and details.go make jobs, checkpoints and events of records; status.go has the words for statuses.
//   - download.go opens the files of checkpoints.
package gateway
