package prom

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// bucketLabel is the label of the upper bound of a bucket of a classic histogram.
const bucketLabel = "le"

// frameTypeHeatmapRows is Grafana's type of a frame with a field for each bucket. The SDK has no constant for it.
const frameTypeHeatmapRows data.FrameType = "heatmap-rows"

// asHeatmap makes a heatmap-rows frame of each classic histogram: a time field, and a field for each bucket with the
// observations in that bucket alone, whereas the buckets of Prometheus are cumulative. Fields are named and ordered by the
// upper bound. Series without the label "le" are not buckets: they remain as they are, and a notice says so.
func asHeatmap(series data.Frames) data.Frames {
	histograms := map[string]data.Frames{}
	var order []string
	var others data.Frames
	for _, frame := range series {
		if _, err := upperBound(frame); err != nil {
			others = append(others, frame)
			continue
		}
		labels := maps.Clone(frame.Fields[1].Labels)
		delete(labels, bucketLabel)
		name := seriesName(labels)
		if histograms[name] == nil {
			order = append(order, name)
		}
		histograms[name] = append(histograms[name], frame)
	}
	var frames data.Frames
	for _, name := range order {
		frames = append(frames, heatmapRows(name, histograms[name]))
	}
	if len(others) > 0 {
		addNotices(others[0], data.NoticeSeverityWarning, []string{
			`The format is heatmap, but there are series without the label "le". Query the buckets of a histogram: sum by (le) (rate(…_bucket[…])).`})
	}
	return append(frames, others...)
}

func upperBound(frame *data.Frame) (float64, error) {
	return strconv.ParseFloat(frame.Fields[1].Labels[bucketLabel], 64)
}

func heatmapRows(name string, buckets data.Frames) *data.Frame {
	slices.SortFunc(buckets, func(a, b *data.Frame) int {
		boundA, _ := upperBound(a)
		boundB, _ := upperBound(b)
		return cmp.Compare(boundA, boundB)
	})
	rows := rowsOf(buckets)
	timeField := data.NewField("Time", nil, timesOf(rows))
	timeField.Config = buckets[0].Fields[0].Config
	frame := data.NewFrame(name, timeField)
	frame.Meta = &data.FrameMeta{Type: frameTypeHeatmapRows}
	below := make([]float64, len(rows))
	for _, bucket := range buckets {
		alone := make([]*float64, len(rows))
		for i := range bucket.Rows() {
			row := rows[bucket.Fields[0].At(i).(time.Time).UnixMilli()]
			cumulative := bucket.Fields[1].At(i).(float64)
			count := math.Max(0, cumulative-below[row]) // rounding in rate() can make a bucket slightly smaller than the one below it
			alone[row], below[row] = &count, cumulative
		}
		field := data.NewField(bucket.Fields[1].Labels[bucketLabel], nil, alone)
		field.Config = &data.FieldConfig{DisplayNameFromDS: field.Name}
		frame.Fields = append(frame.Fields, field)
	}
	return frame
}

// rowsOf numbers the times at which any series has a sample, in ascending order.
func rowsOf(series data.Frames) map[int64]int {
	rows := map[int64]int{}
	var counted *time.Time
	for _, frame := range series {
		// Series with the same times share their memory.
		if frame.Rows() == 0 || timeAt(frame.Fields[0], 0) == counted {
			continue
		}
		counted = timeAt(frame.Fields[0], 0)
		for i := range frame.Rows() {
			rows[timeAt(frame.Fields[0], i).UnixMilli()] = 0
		}
	}
	for row, at := range slices.Sorted(maps.Keys(rows)) {
		rows[at] = row
	}
	return rows
}

// timesOf are the times of numbered rows.
func timesOf(rows map[int64]int) []time.Time {
	times := make([]time.Time, len(rows))
	for at, row := range rows {
		times[row] = time.UnixMilli(at).UTC()
	}
	return times
}

// timeAt returns a pointer, because Field.At allocates an interface for each value.
func timeAt(times *data.Field, i int) *time.Time {
	return times.PointerAt(i).(*time.Time)
}
