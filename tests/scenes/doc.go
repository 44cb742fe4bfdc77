// Package scenes runs the plugin on situations whose results are worked out by hand, or taken from a public incident: README.md
// has the format of the files.
//
// # Where to find what
//
//   - scene.go reads a file: samples, lists of the services, and evaluations with the results that are expected.
//   - query.go finds the query of a panel, an alert rule or a recording rule by its stable name.
//   - run.go runs the evaluations through the plugin; expect.go compares their results.
//   - service.go is the platform of a scene, and store.go its samples for the PromQL engine in this process.
package scenes
