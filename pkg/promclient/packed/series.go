package packed

import (
	"encoding/json"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// column is a property of each series, in their order. It is nil for a series without it.
type column []*string

// describe is the JSON of the names, display names and labels of series. Each is a text if all series have the same, and
// else a list, in the order of the series. It is null for series without it.
func describe(series data.Frames) string {
	names, displayNames := make(column, len(series)), make(column, len(series))
	labels := map[string]column{}
	for i, frame := range series {
		values := frame.Fields[1]
		names[i] = &values.Name
		if values.Config != nil {
			displayNames[i] = &values.Config.DisplayNameFromDS
		}
		for name, value := range values.Labels {
			if labels[name] == nil {
				labels[name] = make(column, len(series))
			}
			labels[name][i] = &value
		}
	}
	united := make(map[string]any, len(labels))
	for name, column := range labels {
		united[name] = column.united()
	}
	text, _ := json.Marshal(map[string]any{"name": names.united(), "displayName": displayNames.united(), "labels": united}) // strings can't fail
	return string(text)
}

// united is the value that all series have, or the values of each.
func (c column) united() any {
	for _, value := range c {
		if value == nil || c[0] == nil || *value != *c[0] {
			return []*string(c)
		}
	}
	return c[0]
}
