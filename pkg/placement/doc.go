// Package placement answers where a number of GPUs can run now: on the idle nodes of the project, or on machines that can be
// started.
//
// An option is a GPU type at a location, or a node pool of the project. What is possible there is bounded by the capacities
// and the quotas of the main API, or by what the metrics say of the nodes. The package never offers more than each of them
// leaves: what it doesn't know is an answer of its own, and no yes.
//
// # Where to find what
//
//   - query.go parses a saved query and has the formats; knowledge.go requests all that the services know, each of which may be
//     missing.
//   - lists.go reads the named members of the lists of the main API; machines.go says what they leave of a GPU type at a location.
//   - nodes_query.go has the PromQL about nodes; nodes.go decides what each of them does, and slurm.go what Slurm says of it.
//   - options.go joins and ranks the options; totals.go fills several places at once.
//   - frames.go makes tables, numbers and a sentence of them.
package placement
