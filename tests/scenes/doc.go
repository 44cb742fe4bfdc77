// Package scenes runs the plugin on situations whose results are worked out by hand, or taken from a public incident: README.md
// has the format of the files.
package scenes
