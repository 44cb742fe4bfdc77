package prom

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/packed"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// Custom is the custom meta of a frame.
type Custom struct {
	// ResultType is Prometheus' resultType; empty for tables and native histograms.
	ResultType parser.ValueType `json:"resultType,omitempty"`
	// Cache, on the first frame of a result, says how much of the result is from the cache.
	Cache *promql.Origin `json:"cache,omitempty"`
	// CalculatedMinStep, on the first frame of a result, is the step in milliseconds. Grafana's Prometheus front end merges
	// frames by it when it queries only the newest part of a range.
	CalculatedMinStep int64 `json:"calculatedMinStep,omitempty"`
}

// frames makes the frames of a result in the format of the query. Its error is a *query.Error.
func (q *parsedQuery) frames(result *promql.Result) (data.Frames, error) {
	defer promql.Stage("frames", "")()
	times := &data.FieldConfig{Interval: float64(q.Step)} // of points, for panels
	samples, histograms := result.Matrix.Split()
	frames := histograms.Frames(q.namesOf, times)
	var whole *data.Frame
	var err error
	switch {
	case q.saved.Format == formatTable:
		whole, err = asTable(samples, times)
	case q.saved.Packed && result.Type == parser.ValueTypeMatrix && len(samples.Series) > 0:
		whole = packed.Frame(samples, q.namesOf, times)
	}
	switch {
	case err != nil:
		return nil, err
	case whole != nil:
		frames = append(frames, whole)
	case q.saved.Format != formatTable:
		frames = append(frames, samples.Frames(q.namesOf, times)...)
	}
	if len(frames) == 0 {
		frames = data.Frames{data.NewFrame("")}
	}
	for _, frame := range frames {
		frame.RefID = q.RefID
		setMeta(frame, result.Type)
	}
	// Only the first frame has the meta of the whole result, because queries can be long and frames many.
	first := frames[0].Meta
	first.ExecutedQueryString = fmt.Sprintf("Expr: %s\nStep: %s", q.Expr, formatDuration(time.Duration(q.Step)*time.Millisecond))
	custom, _ := first.Custom.(Custom)
	custom.Cache, custom.CalculatedMinStep = &result.Origin, q.Step
	first.Custom = custom
	addNotices(frames[0], data.NoticeSeverityWarning, result.Warnings)
	addNotices(frames[0], data.NoticeSeverityInfo, result.Infos)
	return frames, nil
}

// maxCells bounds the cells of a table. It has a row for each sample and a column for each label name of all series, so it can be many
// times as large as the result that it is made of.
const maxCells = 2_000_000

// namesOf are the names of the values of a series, of which the one to display is by the legend; nil if Grafana names the series.
func (q *parsedQuery) namesOf(s *series.Series) (name string, display *string) {
	if legend := q.legend.nameOf(s.Labels); legend != "" {
		display = &legend
	}
	return cmp.Or(s.Labels[model.MetricNameLabel], data.TimeSeriesValueFieldName), display
}

func setMeta(frame *data.Frame, resultType parser.ValueType) {
	if frame.Meta == nil {
		frame.Meta = &data.FrameMeta{}
	}
	switch {
	case frame.Meta.Type == packed.FrameType:
	case frame.Meta.Type != "":
		return
	case resultType == parser.ValueTypeMatrix:
		frame.Meta.Type = data.FrameTypeTimeSeriesMulti
	default:
		frame.Meta.Type = data.FrameTypeNumericMulti
	}
	frame.Meta.TypeVersion = data.FrameTypeVersion{0, 1}
	// Explore chooses between graph and table by the result type.
	frame.Meta.Custom = Custom{ResultType: resultType}
}

// addNotices adds notices in alphabetical order, because the order of the engine varies.
func addNotices(frame *data.Frame, severity data.NoticeSeverity, texts []string) {
	for _, text := range slices.Sorted(slices.Values(texts)) {
		frame.AppendNotices(data.Notice{Severity: severity, Text: text})
	}
}

type row struct {
	at     int64
	labels data.Labels
	value  float64
}

// asTable makes a table of all samples, or nil if there are none. Rows are ordered by time. The columns are Time, one for each label name in
// alphabetical order, which is empty where a series lacks the label, and Value. Its error is a *query.Error.
func asTable(m *series.Matrix, times *data.FieldConfig) (*data.Frame, error) {
	names := map[string]bool{}
	for _, s := range m.Series {
		for name := range s.Labels {
			names[name] = true
		}
	}
	if cells := m.Samples() * (len(names) + 2); cells > maxCells {
		return nil, &query.Error{Field: "Format", Message: fmt.Sprintf("as a table the result has %d cells, and the limit is %d. Query fewer series, or use the format time series.", cells, maxCells)}
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
	return table, nil
}
