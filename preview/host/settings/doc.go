// Package settings keeps the preview's one data source: it reads it from a Grafana provisioning file, shows
// it to the page with its secrets left out, takes changes, and hands it to the backend as Grafana would.
package settings
