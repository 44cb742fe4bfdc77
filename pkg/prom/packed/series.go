package packed

import (
	"encoding/json"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// columns are the names, display names and labels of series, in their order.
type columns struct {
	names, displayNames column
	labels              map[string]column
}

// column is a property of each series. It is nil for a series without it.
type column []*string

func newColumns(n int) columns {
	return columns{make(column, n), make(column, n), map[string]column{}}
}

func (c *columns) set(i int, names Names, labels data.Labels) {
	c.names[i], c.displayNames[i] = &names.Name, names.DisplayName
	for name, value := range labels {
		if c.labels[name] == nil {
			c.labels[name] = make(column, len(c.names))
		}
		c.labels[name][i] = &value
	}
}

// json has, of each property, a text if all series have the same, or else a list, in the order of the series. It is null for series
// without it.
func (c *columns) json() string {
	united := make(map[string]any, len(c.labels))
	for name, column := range c.labels {
		united[name] = column.united()
	}
	text, _ := json.Marshal(map[string]any{"name": c.names.united(), "displayName": c.displayNames.united(), "labels": united}) // strings can't fail
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
