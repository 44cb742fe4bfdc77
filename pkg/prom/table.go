package prom

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// row is a row of a table: a sample of a series.
type row struct {
	at     int64
	labels data.Labels
	value  float64
}

// asTable makes a table of all samples, if there are some. Rows are ordered by time. The columns are Time, one for each label name in
// alphabetical order, which is empty where a series lacks the label, and Value. Its error is a *query.Error.
func asTable(m *series.Matrix, times *data.FieldConfig) (data.Frames, error) {
	names := m.LabelNames()
	if cells := m.Samples() * (len(names) + 2); cells > maxCells {
		return nil, errCells(formatTable, fmt.Sprintf("%d cells, and the limit is %d", cells, maxCells))
	}
	var rows []row
	for i := range m.Series {
		s := &m.Series[i]
		for j, at := range s.Times {
			rows = append(rows, row{at, s.Labels, s.Values[j]})
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.at, b.at) })
	table := query.Table("", query.Column("Time", rows, times, func(r row) time.Time { return time.UnixMilli(r.at).UTC() }))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		filterable := true
		table.Fields = append(table.Fields, query.Column(name, rows, &data.FieldConfig{Filterable: &filterable}, func(r row) string { return r.labels[name] }))
	}
	table.Fields = append(table.Fields, query.Column("Value", rows, nil, func(r row) float64 { return r.value }))
	return data.Frames{table}, nil
}
