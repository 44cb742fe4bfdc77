// Package placementtest makes random platforms of which it is known where GPUs can run, serves what such a platform says of
// itself, and judges the results of placement queries.
//
// The truth is counted from the definition of a [World], machine by machine and node by node. It shares no code with the
// package placement.
package placementtest
