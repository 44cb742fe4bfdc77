package tuning

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// column is a field of a table with one value an item. Values that aren't known are null.
func column[T, V any](name string, items []T, config *data.FieldConfig, value func(T) *V) *data.Field {
	values := make([]*V, len(items))
	for i, item := range items {
		values[i] = value(item)
	}
	field := data.NewField(name, nil, values)
	field.Config = config
	return field
}

// orNull is nil for the empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// texts is a column of texts, of which the empty ones are null.
func texts[T any](name string, items []T, config *data.FieldConfig, value func(T) string) *data.Field {
	return column(name, items, config, func(item T) *string { return orNull(value(item)) })
}

// seconds is how long it took from one time to another, or nil if one of them isn't known or comes too late.
func seconds(from, to *time.Time) *float64 {
	if from == nil || to == nil || to.Before(*from) {
		return nil
	}
	took := to.Sub(*from).Seconds()
	return &took
}

// table wraps columns into a frame.
func table(name string, columns ...*data.Field) *data.Frame {
	frame := data.NewFrame(name, columns...)
	frame.Meta = &data.FrameMeta{Type: data.FrameTypeTable, TypeVersion: data.FrameTypeVersion{0, 1}, PreferredVisualization: data.VisTypeTable}
	return frame
}

func unit(unit string) *data.FieldConfig { return &data.FieldConfig{Unit: unit} }

func linked(links ...[]data.DataLink) *data.FieldConfig {
	config := &data.FieldConfig{}
	for _, some := range links {
		config.Links = append(config.Links, some...)
	}
	return config
}

// statusConfig gives each status its color. A status that isn't known is written as any text, because without a color
// of its own it would have that of the panel's lowest threshold: green, as if it were a success.
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

// coloredStatusConfig has the cells of a table colored too.
func coloredStatusConfig() *data.FieldConfig {
	config := statusConfig()
	config.Custom = map[string]any{"cellOptions": map[string]any{"type": "color-text"}}
	return config
}
