// Package engines holds the tests of the plugin against real query engines: Prometheus and VictoriaMetrics, as Debian
// packages them, behind the simulator's metrics endpoint. They have the build tag "engines"; `npm run test:engines` installs
// the engines where it can, and runs them.
//
// Each engine has the same samples. What the plugin returns is compared with what the engine itself answers, decoded by
// encoding/json, sample for sample.
package engines
