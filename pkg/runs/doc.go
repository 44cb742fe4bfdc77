// Package runs makes training runs comparable, and says how they fare: it finds them, measures them by PromQL and by what the
// fine-tuning gateway reports, lays them side by side, and examines their curves.
//
// A query takes one way: parse → source → runs (at most the limit) → allocation → expressions (bounded) → evidence → measures →
// frame. A run has a source, an allocation, which is its GPUs and how they are known, and evidence, which is what bounded queries
// said. Measures, findings and curves are functions of these.
package runs
