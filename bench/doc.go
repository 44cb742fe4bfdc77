// Command bench measures the backend and prints one table, with what each figure has to reach: decoding and everything on
// the way from HTTP body to Grafana's frames, wall displays, alert rules and long ranges with and without the cache, from 64
// to 80,000 series, training runs beside their truth, memory, the built program, and the other two services.
//
// With GRAFANA_URL set it first measures, through that Grafana, this plugin and Grafana's own Prometheus data source: what a
// person waits for in Chromium, and the same wall display. Everything in one table was measured in one run; figures of two runs
// are not comparable. The platform is the simulator, with a clock of the bench's own where no Grafana is involved, so that
// minutes pass in a moment.
package main
