// Package gateway reads the platform's fine-tuning gateway: jobs, their checkpoints, events and training metrics, files and
// models. It knows HTTP and records, and neither queries nor frames.
//
// The specification guarantees only the id and the status of a job. Every record is therefore read member by member: a
// member that is missing, null or of another type is nil or empty. The package sends GET requests only.
//
// Details of finished jobs don't change, and their cache entries don't expire; those of other jobs expire after seconds.
// Identical requests are coalesced, and the number of concurrent requests is limited.
package gateway
