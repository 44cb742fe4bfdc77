//go:build mage
// +build mage

// Mage's targets, for those who build Grafana plugins that way: `mage build:linux`. What is released is made by
// `npm run package`, for more platforms.
package main

import (
	// mage:import
	build "github.com/grafana/grafana-plugin-sdk-go/build"
)

// Default configures the default target.
var Default = build.BuildAll
