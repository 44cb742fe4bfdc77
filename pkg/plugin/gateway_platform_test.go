package plugin_test

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

// monthTo runs one query over the 30 days before now.
func monthTo(t *testing.T, ds *plugin.Datasource, now time.Time, saved values) data.Frames {
	t.Helper()
	q := dataQuery(t, "A", saved)
	q.TimeRange = backend.TimeRange{From: now.Add(-30 * 24 * time.Hour), To: now.Add(time.Minute)}
	response := runQueries(t, ds, q)["A"]
	require.NoError(t, response.Error)
	require.NotEmpty(t, response.Frames)
	return response.Frames
}

// column is a field's values, nil for null.
func column(t *testing.T, frame *data.Frame, name string) []any {
	t.Helper()
	field, _ := frame.FieldByName(name)
	require.NotNil(t, field, name)
	all := make([]any, field.Len())
	for i := range all {
		if value, ok := field.ConcreteAt(i); ok {
			all[i] = value
		}
	}
	return all
}
