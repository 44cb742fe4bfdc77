package prom

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// row is a row of a table: a sample of a series, or a bucket of its native histograms, by its position.
type row struct {
	at     int64
	series *series.Series
	index  int
}

// asTables makes a table of all samples, and one of all buckets of native histograms, if there are some. Rows are ordered by time. The
// columns are Time, one for each label name in alphabetical order, which is empty where a series lacks the label, and Value, or those
// of a bucket.
func asTables(m *series.Matrix, times *data.FieldConfig) data.Frames {
	var samples, buckets []row
	for i := range m.Series {
		s := &m.Series[i]
		for j, at := range s.Times[:len(s.Values)] {
			samples = append(samples, row{at, s, j})
		}
		if h := s.Histograms; h != nil {
			for bucket := range h.Layout {
				buckets = append(buckets, row{h.TimeOf(bucket), s, bucket})
			}
		}
	}
	var tables data.Frames
	if len(samples) > 0 {
		table := newTable(samples, times)
		table.Fields = append(table.Fields, column("Value", samples, func(r row) float64 { return r.series.Values[r.index] }))
		tables = append(tables, table)
	}
	if len(buckets) > 0 {
		table := newTable(buckets, times)
		table.Fields = append(table.Fields,
			column("yMin", buckets, func(r row) float64 { return r.series.Histograms.Lower[r.index] }),
			column("yMax", buckets, func(r row) float64 { return r.series.Histograms.Upper[r.index] }),
			column("count", buckets, func(r row) float64 { return r.series.Histograms.Within[r.index] }),
			column("yLayout", buckets, func(r row) int8 { return r.series.Histograms.Layout[r.index] }))
		tables = append(tables, table)
	}
	return tables
}

// newTable sorts rows, and makes the columns of their times and labels.
func newTable(rows []row, times *data.FieldConfig) *data.Frame {
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.at, b.at) })
	names := map[string]bool{}
	for _, r := range rows {
		for name := range r.series.Labels {
			names[name] = true
		}
	}
	table := data.NewFrame("", column("Time", rows, func(r row) time.Time { return time.UnixMilli(r.at).UTC() }).SetConfig(times))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		filterable := true
		table.Fields = append(table.Fields, column(name, rows, func(r row) string { return r.series.Labels[name] }).SetConfig(&data.FieldConfig{Filterable: &filterable}))
	}
	table.Meta = &data.FrameMeta{Type: data.FrameTypeTable, TypeVersion: data.FrameTypeVersion{0, 1}, PreferredVisualization: data.VisTypeTable}
	return table
}

func column[T any](name string, rows []row, of func(row) T) *data.Field {
	values := make([]T, len(rows))
	for i, r := range rows {
		values[i] = of(r)
	}
	return data.NewField(name, nil, values)
}
