package query

import (
	"maps"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// KnownLabels removes the labels without a value, and returns the others.
func KnownLabels(labels data.Labels) data.Labels {
	maps.DeleteFunc(labels, func(_, value string) bool { return value == "" })
	return labels
}
