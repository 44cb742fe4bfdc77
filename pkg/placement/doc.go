// Package placement answers where a number of GPUs can run now: on the idle nodes of the project, or on machines that can be
// started.
//
// An option is a GPU type at a location, or a node pool of the project. What is possible there is bounded by the capacities
// and the quotas of the main API, or by what the metrics say of the nodes. The package never offers more than each of them
// leaves: what it doesn't know is an answer of its own, and no yes.
package placement
