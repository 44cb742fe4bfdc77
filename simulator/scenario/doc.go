// Package scenario has what happens on the simulated platform: which training jobs run on which nodes
// and when, the load of each phase of a job, which GPU straggles, when one fails, and
// how the Slurm queue grows and shrinks.
//
// Every service of the simulator reads the same scenario, so that a dip in GPU load, a checkpoint and a
// written gigabyte agree in time. The scenario is a function of wall-clock time: the same
// instant always looks the same. It covers the past 36 days and as much of the future as is read.
//
// All times are Unix milliseconds, UTC.
package scenario
