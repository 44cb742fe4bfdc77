// Package contract lets public clients use the plugin's routes, through the real backend binary and the preview's host.
package contract
