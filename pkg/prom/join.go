package prom

import (
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// join joins the results of a query on two consecutive ranges. Series are in the order of one response, which is that of their
// labels. common is the number of series that both results have.
func join(older, newer *promjson.Result) (joined *promjson.Result, common int) {
	joined = &promjson.Result{
		Type: promjson.Matrix, Warnings: union(older.Warnings, newer.Warnings), Infos: union(older.Infos, newer.Infos),
	}
	if older.Matrix == nil || newer.Matrix == nil {
		joined.Frames, common = joinFrames(older.AllFrames(), newer.AllFrames())
		return joined, common
	}
	adopted := adoptLabels(older.Matrix, newer.Matrix)
	joined.Matrix = series.Merge(adopted, sorted(newer.Matrix))
	return joined, len(adopted.Series) + len(newer.Matrix.Series) - len(joined.Matrix.Series)
}

func sorted(m *series.Matrix) *series.Matrix {
	if m.Sorted {
		return m
	}
	m, _ = m.WithLabels(func(s series.Series) data.Labels { return s.Labels })
	return m
}

// adoptLabels gives series of the older matrix the labels of those that continue them in the newer one and whose labels differ in the
// form of numbers, if either matrix has only one such series. The result is sorted.
func adoptLabels(older, newer *series.Matrix) *series.Matrix {
	has := func(m *series.Matrix) map[string]bool {
		keys := make(map[string]bool, len(m.Series))
		for i := range m.Series {
			keys[m.Series[i].Key] = true
		}
		return keys
	}
	olderHas, newerHas := has(older), has(newer)
	olderOf, newerOf := onlyOnes(older, newerHas), onlyOnes(newer, olderHas)
	m, _ := older.WithLabels(func(s series.Series) data.Labels {
		if newerHas[s.Key] {
			return s.Labels
		}
		key := series.Key(canonicalNumbers(s.Labels))
		if labels := newerOf[key]; labels != nil && olderOf[key] != nil {
			return labels
		}
		return s.Labels
	})
	return m
}

// onlyOnes are the labels of series that the other matrix has not, by the key that series have whose labels differ in the form of
// numbers; nil for a key that several have.
func onlyOnes(m *series.Matrix, otherHas map[string]bool) map[string]data.Labels {
	found := map[string]data.Labels{}
	for i := range m.Series {
		s := &m.Series[i]
		if otherHas[s.Key] {
			continue
		}
		key := series.Key(canonicalNumbers(s.Labels))
		if _, several := found[key]; several {
			found[key] = nil
			continue
		}
		found[key] = s.Labels
	}
	return found
}

// joinFrames joins results with native histograms, of which there is no matrix: the rows of a series of both are one frame.
func joinFrames(older, newer data.Frames) (joined data.Frames, common int) {
	joined = slices.Clone(older)
	at := make(map[string]int, len(older))
	for i, frame := range older {
		at[seriesKey(frame)] = i
	}
	for _, frame := range newer {
		i, ok := at[seriesKey(frame)]
		if !ok {
			joined = append(joined, frame)
			continue
		}
		common++
		joined[i] = appendRows(joined[i], frame)
	}
	slices.SortStableFunc(joined, func(a, b *data.Frame) int { return strings.Compare(seriesKey(a), seriesKey(b)) })
	return joined, common
}

// seriesKey identifies the series of a frame, and distinguishes its native histograms, which are before its samples.
func seriesKey(frame *data.Frame) string {
	key := series.Key(frame.Fields[1].Labels)
	if !isNativeHistogram(frame) {
		key += "\x00"
	}
	return key
}

func appendRows(older, newer *data.Frame) *data.Frame {
	joined := data.NewFrame(older.Name)
	joined.Meta = older.Meta
	for i, field := range older.Fields {
		own := data.NewFieldFromFieldType(field.Type(), 0)
		own.Name, own.Labels, own.Config = field.Name, field.Labels, field.Config
		for _, part := range []*data.Field{field, newer.Fields[i]} {
			for row := range part.Len() {
				own.Append(part.At(row))
			}
		}
		joined.Fields = append(joined.Fields, own)
	}
	return joined
}
