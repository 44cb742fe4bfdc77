// Package placement answers where a number of GPUs can run now: on the idle nodes of the project, or on machines that can be
// started.
//
// An option is a GPU type at a location, or a node pool of the project. What is possible there is bounded by the capacities
// and the quotas of the main API, or by what the metrics say of the nodes. The package never offers more than each of them
// leaves: what it doesn't know is an answer of its own, and no yes.
//
// # Where to find what
//
//   - query.go parses a saved query and has the formats; knowledge.go asks the services, each of which may be missing.
//   - capacities.go, machine_types.go and quotas.go read the lists of the main API, whose shapes are not specified, with the
//     help of item.go and names.go.
//   - nodes.go finds the idle nodes of the project by PromQL, and slurm.go those of them that can't be had.
//   - options.go joins them and ranks the options; together.go fills several places at once.
//   - frames.go makes tables, numbers and a sentence of them; hours.go has the usual availability of own nodes.
package placement
