package jobs

import (
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
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

// statusConfig maps each status to its color, and others that are words for one. Unknown statuses have the color of text. Otherwise they
// would have the color of the panel's lowest threshold, which is green like succeeded.
func statusConfig(others ...string) *data.FieldConfig {
	mapping := data.ValueMapper{}
	for _, status := range slices.Concat(lifecycle, []string{"canceled", "completed", "error", stateWaiting, stateInProgress}, others) {
		if _, known := mapping[status]; !known && Color(status) != unknownColor {
			mapping[status] = data.ValueMappingResult{Text: status, Color: Color(status), Index: len(mapping)}
		}
	}
	return &data.FieldConfig{
		Mappings: data.ValueMappings{mapping},
		Color:    map[string]any{"mode": "fixed", "fixedColor": "text"},
	}
}

// StatusColumn is a column of statuses in their colors.
func StatusColumn[T any](items []T, status func(T) string) *data.Field {
	column := query.TextColumn("status", items, nil, status)
	statuses := make([]string, len(items))
	for i, item := range items {
		statuses[i] = status(item)
	}
	column.Config = statusConfig(statuses...)
	column.Config.Custom = map[string]any{"cellOptions": map[string]any{"type": "color-text"}}
	return column
}
