package series

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Names of the fields of frames.
const (
	TimeName  = "Time"
	ValueName = "Value"
)

// Frames returns a frame for each series, in order, with the fields "Time" (UTC) and "Value", which has the labels. The caller owns
// the frames. They may share times, and they share labels with the matrix.
func (m *Matrix) Frames() data.Frames {
	if len(m.Series) == 0 {
		return nil
	}
	frames := make(data.Frames, len(m.Series))
	times := make([]time.Time, m.Steps())
	for i := range times {
		times[i] = time.UnixMilli(m.Time(int32(i))).UTC()
	}
	var shared *data.Field
	var last *Series
	for i := range m.Series {
		s := &m.Series[i]
		// Most series of a result have the same times.
		if last == nil || !last.sameSteps(s) {
			shared = data.NewField(TimeName, nil, s.pick(times))
			last = s
		}
		frames[i] = NewFrame(shared, s.Values, s.Labels)
	}
	return frames
}

// sameSteps reports whether two series share their steps without comparing them.
func (s *Series) sameSteps(other *Series) bool {
	if s.First != other.First || len(s.Values) != len(other.Values) || (s.At == nil) != (other.At == nil) {
		return false
	}
	return s.At == nil || &s.At[0] == &other.At[0]
}

// pick returns those of the times of all steps that a series has values at.
func (s *Series) pick(times []time.Time) []time.Time {
	if s.At == nil {
		return times[s.First : int(s.First)+len(s.Values)]
	}
	picked := make([]time.Time, len(s.At))
	for i, step := range s.At {
		picked[i] = times[step]
	}
	return picked
}

// NewFrame makes the frame of a series, with a copy of the time field, whose times it shares. Everything but the samples is one
// allocation, which matters for results of many short series.
func NewFrame(times *data.Field, values []float64, labels data.Labels) *data.Frame {
	made := &struct {
		frame  data.Frame
		times  data.Field
		fields [2]*data.Field
	}{times: *times}
	made.fields = [2]*data.Field{&made.times, data.NewField(ValueName, labels, values)}
	made.frame.Fields = made.fields[:]
	return &made.frame
}

// OfFrames makes a matrix of frames that [Matrix.Frames] could have made. It returns false for others.
func OfFrames(frames data.Frames, g Grid) (*Matrix, bool) {
	b := Builder{Grid: g}
	var times []int64
	var values []float64
	for _, frame := range frames {
		if len(frame.Fields) != 2 || frame.Fields[0].Type() != data.FieldTypeTime || frame.Fields[1].Type() != data.FieldTypeFloat64 {
			return nil, false
		}
		times, values = times[:0], values[:0]
		for i := range frame.Rows() {
			// Pointers, because Field.At allocates an interface for each value.
			times = append(times, frame.Fields[0].PointerAt(i).(*time.Time).UnixMilli())
			values = append(values, *frame.Fields[1].PointerAt(i).(*float64))
		}
		if !b.Add(frame.Fields[1].Labels, times, values) {
			return nil, false
		}
	}
	return b.Matrix(), true
}
