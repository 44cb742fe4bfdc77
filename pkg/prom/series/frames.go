package series

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Frames returns a frame for each series, in order, with the fields "Time" (UTC) and "Value", which has the labels. The caller owns
// the frames. They may share times, and they share labels with the matrix.
//
// The native histograms of a series are a frame of type [frameTypeHeatmapCells] with a row for each bucket and the fields "xMax" (the
// time), "yMin", "yMax", "count" (float64) and "yLayout" (int8, which of the bounds are inclusive), all of which have the labels of
// the series. If the series has values, too, their frame follows.
func (m *Matrix) Frames() data.Frames {
	if len(m.Series) == 0 {
		return nil
	}
	frames := make(data.Frames, 0, len(m.Series))
	var times *data.Field
	var of []int64
	for i := range m.Series {
		s := &m.Series[i]
		if s.Histograms != nil {
			frames = append(frames, s.Histograms.frame(s.Labels))
			if len(s.Values) == 0 {
				continue
			}
		}
		if times == nil || !shared(s.Times, of) {
			times, of = timeField(s.Times), s.Times
		}
		frames = append(frames, newFrame(times, s.Values, s.Labels))
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

// newFrame makes the frame of a series, with a copy of the time field, whose times it shares. Everything but the samples is one
// allocation, which matters for results of many short series.
func newFrame(times *data.Field, values []float64, labels data.Labels) *data.Frame {
	made := &struct {
		frame  data.Frame
		times  data.Field
		fields [2]*data.Field
	}{times: *times}
	made.fields = [2]*data.Field{&made.times, data.NewField(data.TimeSeriesValueFieldName, labels, values)}
	made.frame.Fields = made.fields[:]
	return &made.frame
}
