// Package metrics is the platform's metrics store: every metric family that the platform collects,
// as a storage.Queryable for the PromQL engine.
//
// Nothing is stored. A family is a line in a table: its name, its labels and a formula over the scenario's
// load. Series are found by looking at the few values that each label can have, and their samples are
// computed while the engine reads them. So 30 days of 10,000 GPUs cost nothing until they are queried.
//
// As on the platform, samples lie on multiples of the collection interval, the newest is never in the
// future, and what is older than 30 days is gone.
//
// # Where to find what
//
//   - families.go lists all families. They are in gpu.go, node.go, disk.go, network.go, shared.go, slurm.go, rollup.go and
//     custom.go; family.go has their parts.
//   - store.go implements storage.Queryable, and series.go one series.
//   - dimensions.go finds the series of a family by their labels, and label_sets.go has the values of labels.
//   - counter_rate.go varies the rates of counters.
//   - slowdown.go is how metrics look while a GPU, a node or a pool is slow.
//   - collection.go decides when samples are collected, and late.go when they appear.
//   - deployment.go and exporter.go change names, and leave metrics out, as other deployments do.
package metrics
