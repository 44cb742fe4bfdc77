// Package gateway is the platform's tuning gateway: files, fine-tuning jobs with their events, checkpoints
// and metrics, and models, over HTTP in the OpenAI convention, below /v1.
//
// Its jobs are those of the scenario, so GPU load follows them; jobs created through it join the scenario and
// take nodes. Beside them are edge cases, of the kinds that deployments are known to return, and on
// request thousands of finished jobs. Only the records of uploads and of created jobs are stored: other records,
// curves and checkpoint archives are computed when they are read.
//
// # Where to find what
//
//   - gateway.go routes requests and checks the key; spec_only.go limits it to what the specification documents.
//   - jobs.go lists jobs, create.go creates them, and job.go writes their records; edge_cases.go has the jobs with unusual
//     records, and extra.go makes thousands of finished ones.
//   - progress.go computes checkpoints and metrics of a job, events.go its events, and archive.go the content of a checkpoint.
//   - files.go lists files and upload.go takes new ones; models.go lists models.
//   - paging.go cuts lists into pages; failure.go writes errors; dialect.go has the forms of times and errors.
package gateway
