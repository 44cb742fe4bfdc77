package tuning

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// seconds is the duration between two times, or nil if one of them is unknown or they are in the wrong order.
func seconds(from, to *time.Time) *float64 {
	if from == nil || to == nil || to.Before(*from) {
		return nil
	}
	took := to.Sub(*from).Seconds()
	return &took
}

func unit(unit string) *data.FieldConfig { return &data.FieldConfig{Unit: unit} }

func linked(links ...[]data.DataLink) *data.FieldConfig {
	config := &data.FieldConfig{}
	for _, some := range links {
		config.Links = append(config.Links, some...)
	}
	return config
}

// statusConfig maps each status to its color. Unknown statuses have the color of text. Otherwise they would have the color of
// the panel's lowest threshold, which is green like succeeded.
func statusConfig() *data.FieldConfig {
	mapping := data.ValueMapper{}
	for i, status := range append(append([]string{}, lifecycle...), "canceled", statusCompleted, statusError, stateWaiting, stateInProgress) {
		mapping[status] = data.ValueMappingResult{Text: status, Color: colors[status], Index: i}
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
