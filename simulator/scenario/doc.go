// Package scenario has what happens on the simulated platform: which training jobs run on which nodes
// and when, the load of each phase of a job, which GPU straggles, when one fails, and
// how the Slurm queue grows and shrinks.
//
// Every service of the simulator reads the same scenario, so that a dip in GPU load, a checkpoint and a
// written gigabyte agree in time. The scenario is a function of a seed and of wall-clock time: the same
// instant always looks the same. It covers the past 36 days and as much of the future as is read.
//
// All times are Unix milliseconds, UTC.
//
// # Where to find what
//
//   - scenario.go plans the weeks: fleet.go has the node pools, nodes and GPUs, and inventory.go disks and load balancers.
//   - schedule.go lays out the jobs of a week, and tries failed ones again; job.go has a job and its phases, and spec.go makes a job from a request;
//     live.go adds it to the scenario.
//   - load.go is the load of a phase, timeline.go that of a pool over time, and slurm.go the queue.
//   - curves.go is what goes wrong with the loss of a job.
//   - slowdown.go has what slows GPUs, nodes and pools for a time.
//   - incident.go has what goes wrong on request; random.go is the source of chance.
package scenario
