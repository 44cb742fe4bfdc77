// Command bench measures the backend and prints tables: what an answer costs on its way from HTTP body to the frames
// Grafana gets, how much longer a query takes through the plugin than asked directly, what fine-tuning annotations cost the
// gateway, signatures and lists of the main API, and the backend's memory.
//
// Everything in one table was measured in one run; figures of two runs are not comparable. The platform is the simulator.
package main
