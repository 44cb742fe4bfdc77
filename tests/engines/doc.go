// Package engines holds the tests of the plugin against real query engines: Prometheus and VictoriaMetrics, as Debian
// packages them, behind the simulator's metrics endpoint. They have the build tag "engines"; `npm run test:engines` installs
// the engines where it can, and runs them.
//
// Each engine has the same samples. The tests compare the plugin's results with the engine's responses, decoded by
// encoding/json, sample for sample.
package engines
