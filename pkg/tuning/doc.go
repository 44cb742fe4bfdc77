// Package tuning asks the platform's fine-tuning gateway: jobs, their checkpoints, events and training metrics, and the
// training files, as frames for dashboards, alert rules and Explore, as annotations, and as choices for editors.
//
// Of a job only its id and its status are sure to be there. Every record is therefore read member by member: what is
// missing, null or of another type than expected is null, and the record stays. Nothing here ever writes to the gateway.
//
// Details of finished jobs never change and are cached for good, those of others for seconds; identical calls that are
// under way are made once, and only a few calls are made at a time.
package tuning
