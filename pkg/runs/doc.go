// Package runs makes training runs comparable: it finds them, measures them by PromQL and by what the fine-tuning gateway
// reports, and lays them side by side.
//
// A run has a name, a start, an end or none yet, labels, and GPUs. GPU metrics have no label of a job or a pod, so where the
// GPUs of a run are is said by the query, and a column tells how: by labels of the run, by one selector for all runs, or by
// time, which means all GPUs that reported meanwhile.
//
// # Where to find what
//
//   - query.go has the table of query types, and parses a saved query.
//   - source.go finds runs: fine-tuning jobs, or those given by hand; series.go finds those of a PromQL selector. run.go names
//     and chooses them, and gpus.go finds their GPUs.
//   - table.go measures runs, for a table or for alert rules; measures.go has the catalog of measures with their PromQL, cost.go
//     the prices.
//   - comparison.go lays curves of runs over one axis, comparison_frames.go makes their frames, and difference.go subtracts a
//     baseline.
//   - annotations.go draws runs and their checkpoints over panels.
package runs
