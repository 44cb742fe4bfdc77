// Package docs tests what the documents claim about queries, health checks and files to copy: through the plugin, on the
// simulated platform.
package docs
