package series

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Frames returns a frame for each series, in order, with the field "Time" (UTC), which has a config, and a field of values with the labels
// and the names of a series, of which the one to display may be nil. The caller owns the frames. They may share times, and they share labels
// with the matrix.
//
// The native histograms of a series are a frame of type [frameTypeHeatmapCells] with a row for each bucket and the fields "xMax" (the
// time), "yMin", "yMax", "count" (float64) and "yLayout" (int8, which of the bounds are inclusive), all of which have the labels of
// the series. If the series has values, too, their frame follows.
func (m *Matrix) Frames(namesOf func(*Series) (name string, display *string), config *data.FieldConfig) data.Frames {
	if len(m.Series) == 0 {
		return nil
	}
	frames := make(data.Frames, 0, len(m.Series))
	var times *data.Field
	var of []int64
	for i := range m.Series {
		s := &m.Series[i]
		name, display := namesOf(s)
		var shown *data.FieldConfig
		if display != nil {
			shown = &data.FieldConfig{DisplayNameFromDS: *display}
		}
		if s.Histograms != nil {
			frames = append(frames, s.Histograms.frame(s.Labels, config, shown))
			if len(s.Values) == 0 {
				continue
			}
		}
		if times == nil || !shared(s.Times, of) {
			times, of = timeField(s.Times).SetConfig(config), s.Times
		}
		own := *times // which shares the times
		frames = append(frames, data.NewFrame("", &own, data.NewField(name, s.Labels, s.Values).SetConfig(shown)))
	}
	return frames
}

func timeField(of []int64) *data.Field {
	times := make([]time.Time, len(of))
	for i, at := range of {
		times[i] = time.UnixMilli(at).UTC()
	}
	return data.NewField(data.TimeSeriesTimeFieldName, nil, times)
}
