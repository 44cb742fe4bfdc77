package jobs

import (
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
)

// The states of a timeline while the status is unknown.
const (
	// stateWaiting is before the first known status of a job.
	stateWaiting = "waiting"
	// stateInProgress is before the end of a job without events.
	stateInProgress = "in progress"
)

// lifecycle is the usual order of statuses.
var lifecycle = []string{
	gateway.StatusValidating, gateway.StatusPending, gateway.StatusQueued, gateway.StatusRunning, gateway.StatusPaused, gateway.StatusSucceeded, gateway.StatusFailed, gateway.StatusCancelled,
}

// colors are named colors of Grafana, which depend on the theme.
var colors = map[string]string{
	gateway.StatusValidating: "yellow",
	gateway.StatusPending:    "yellow",
	gateway.StatusQueued:     "yellow",
	stateWaiting:             "yellow",
	gateway.StatusRunning:    "blue",
	stateInProgress:          "blue",
	gateway.StatusPaused:     "orange",
	gateway.StatusSucceeded:  "green",
	gateway.StatusFailed:     "red",
	gateway.StatusCancelled:  "gray",
}

// unknownColor is for other statuses.
const unknownColor = "purple"

// Color is the color of a status, a named color of Grafana.
func Color(status string) string {
	if color, ok := colors[gateway.Usual(status)]; ok {
		return color
	}
	return unknownColor
}

// statusConfig maps each status to its color. Unknown statuses have the color of text. Otherwise they would have the color of
// the panel's lowest threshold, which is green like succeeded.
func statusConfig() *data.FieldConfig {
	mapping := data.ValueMapper{}
	for i, status := range append(append([]string{}, lifecycle...), "canceled", "completed", "error", stateWaiting, stateInProgress) {
		mapping[status] = data.ValueMappingResult{Text: status, Color: Color(status), Index: i}
	}
	return &data.FieldConfig{
		Mappings: data.ValueMappings{mapping},
		Color:    map[string]any{"mode": "fixed", "fixedColor": "text"},
	}
}

// StatusConfig colors a column of statuses: statusConfig with colored table cells.
func StatusConfig() *data.FieldConfig {
	config := statusConfig()
	config.Custom = map[string]any{"cellOptions": map[string]any{"type": "color-text"}}
	return config
}
