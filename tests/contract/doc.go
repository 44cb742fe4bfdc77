// Package contract runs public clients against the plugin's routes, served by the backend binary and the preview's host.
package contract
