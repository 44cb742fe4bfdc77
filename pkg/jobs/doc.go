// Package jobs queries fine-tuning jobs, their checkpoints, events and training metrics, and training files, on top of package
// gateway: as frames for dashboards, alert rules and Explore, as annotations, and as choices for editors.
//
// What the gateway does not report is null in the result.
package jobs
