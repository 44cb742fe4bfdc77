// Package runs makes training runs comparable, and says how they fare: it finds them, measures them by PromQL and by what the
// fine-tuning gateway reports, lays them side by side, and examines their curves.
//
// A query takes one way: parse → source → runs (at most the limit) → allocation → expressions (bounded) → evidence → measures →
// frame. A run has a source, an allocation, which is its GPUs and how they are known, and evidence, which is what bounded queries
// said. Measures, findings and curves are functions of these.
//
// # Where to find what
//
//   - query.go has the table of query types, and the way of a query.
//   - source.go has the table of sources, which find runs: fine-tuning jobs (jobs.go), label sets of a PromQL selector (series.go),
//     those given by hand (manual.go), or label sets of any expression with their curves (health_series.go). run.go names and
//     chooses runs.
//   - survey.go asks which labels GPUs have, and where jobs and pods ran; allocation.go says by these which GPUs a run has. expand.go
//     sets what is known of a run in selectors and expressions, within bounds.
//   - report.go is the query type runs. evaluate.go sends queries about runs, and reads their evidence; parts.go has their PromQL,
//     measures.go the catalog of measures, and cost.go the prices.
//   - comparison.go is the query type runComparison, which lays curves of runs over one axis; comparison_frames.go makes their frames,
//     and difference.go subtracts a baseline.
//   - annotations.go is the query type runAnnotations, which draws runs and their checkpoints over panels.
//   - health.go is the query type trainingHealth. health_jobs.go has the course of a job, package health says what is wrong with it,
//     and health_tables.go and health_numbers.go make the frames.
package runs
