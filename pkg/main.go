// The backend of the GPU Cloud data source, started by Grafana.
package main

import (
	"os"

	"github.com/grafana/grafana-plugin-sdk-go/backend/datasource"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

func main() {
	plugin.LimitMemory()
	if err := datasource.Manage(plugin.ID, plugin.New, datasource.ManageOpts{}); err != nil {
		log.DefaultLogger.Error("The plugin stopped", "error", err)
		os.Exit(1)
	}
}
