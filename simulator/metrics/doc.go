// Package metrics is the platform's metrics store: every metric family that the platform collects,
// as a storage.Queryable for the PromQL engine.
//
// Nothing is stored. A family is a line in a table: its name, its labels and a formula over the scenario's
// load. Series are found by looking at the few values that each label can have, and their samples are
// computed while the engine reads them. So 30 days of 10,000 GPUs cost nothing until they are queried.
//
// As on the platform, samples lie on multiples of the collection interval, the newest is never in the
// future, and what is older than 30 days is gone.
package metrics
