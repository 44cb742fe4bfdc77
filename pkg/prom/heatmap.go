package prom

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// frameTypeHeatmapRows is Grafana's type of a frame with a field for each bucket. The SDK has no constant for it.
const frameTypeHeatmapRows data.FrameType = "heatmap-rows"

// bucket is a series of a classic histogram.
type bucket struct {
	series.Series
	upper float64
}

// heatmaps makes a heatmap-rows frame of each classic histogram: a time field, and a field for each bucket with the
// observations in that bucket alone, whereas the buckets of Prometheus are cumulative. Fields are named and ordered by the
// upper bound. Series without the label "le" are not buckets: they remain as they are, and a notice says so. Its error is a *query.Error.
func (q *parsedQuery) heatmaps(m *series.Matrix) (data.Frames, error) {
	histograms := map[string][]bucket{}
	var order []string
	others := &series.Matrix{}
	for _, s := range m.Series {
		upper, err := strconv.ParseFloat(s.Labels[labels.BucketLabel], 64)
		if err != nil {
			others.Series = append(others.Series, s)
			continue
		}
		of := maps.Clone(s.Labels)
		delete(of, labels.BucketLabel)
		name := seriesName(of)
		if histograms[name] == nil {
			order = append(order, name)
		}
		histograms[name] = append(histograms[name], bucket{s, upper})
	}
	var frames data.Frames
	left := maxCells
	for _, name := range order {
		buckets := histograms[name]
		rows, fit := rowsOf(buckets, left/len(buckets))
		if !fit {
			return nil, errCells(formatHeatmap, fmt.Sprintf("more than %d cells, the limit", maxCells))
		}
		left -= len(rows) * len(buckets)
		frames = append(frames, heatmapRows(name, buckets, rows, q.timesConfig()))
	}
	rest := q.described(others.Frames())
	if len(rest) > 0 {
		addNotices(rest[0], data.NoticeSeverityWarning, []string{
			`The format is heatmap, but there are series without the label "le". Query the buckets of a histogram: sum by (le) (rate(…_bucket[…])).`})
	}
	return append(frames, rest...), nil
}

// rowsOf has the times at which any bucket has a sample, at most so many; fit is false if there are more.
func rowsOf(buckets []bucket, most int) (rows map[int64]int, fit bool) {
	rows = map[int64]int{}
	for _, b := range buckets {
		for _, at := range b.Times {
			if rows[at] = 0; len(rows) > most {
				return nil, false
			}
		}
	}
	return rows, true
}

// heatmapRows makes the frame of a histogram, whose rows are in ascending order.
func heatmapRows(name string, buckets []bucket, rows map[int64]int, times *data.FieldConfig) *data.Frame {
	slices.SortFunc(buckets, func(a, b bucket) int { return cmp.Compare(a.upper, b.upper) })
	at := make([]time.Time, 0, len(rows))
	for i, milliseconds := range slices.Sorted(maps.Keys(rows)) {
		rows[milliseconds] = i
		at = append(at, time.UnixMilli(milliseconds).UTC())
	}
	frame := data.NewFrame(name, data.NewField("Time", nil, at).SetConfig(times))
	frame.Meta = &data.FrameMeta{Type: frameTypeHeatmapRows}
	below := make([]float64, len(rows))
	for _, b := range buckets {
		alone := make([]*float64, len(rows))
		for i, cumulative := range b.Values {
			row := rows[b.Times[i]]
			count := math.Max(0, cumulative-below[row]) // rounding in rate() can make a bucket slightly smaller than the one below it
			alone[row], below[row] = &count, cumulative
		}
		field := data.NewField(b.Labels[labels.BucketLabel], nil, alone)
		frame.Fields = append(frame.Fields, field.SetConfig(&data.FieldConfig{DisplayNameFromDS: field.Name}))
	}
	return frame
}
