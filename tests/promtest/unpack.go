// Package promtest has what tests of PromQL share: packed frames are read as the front end does, and results are made of frames.
package promtest

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// columns are the names, display names and labels of series.
type columns struct {
	Name, DisplayName any
	Labels            map[string]any
}

// Unpack returns the series of a packed frame: a frame with a field of times and a field of values for each.
func Unpack(t require.TestingT, frame *data.Frame) data.Frames {
	require.Len(t, frame.Fields, 2)
	var of columns
	require.NoError(t, json.Unmarshal([]byte(frame.Fields[0].At(0).(string)), &of))
	packed, err := base64.StdEncoding.DecodeString(frame.Fields[1].At(0).(string))
	require.NoError(t, err)
	var series data.Frames
	var at []time.Time
	for r := (reader{t, bytes.NewReader(packed)}); r.Len() > 0; {
		if runs := r.unsigned(); runs > 0 {
			at = r.times(runs)
		}
		times := data.NewField("Time", nil, at)
		times.Config = frame.Fields[1].Config
		values := data.NewField("", nil, r.values(len(at)))
		of.describe(values, len(series))
		series = append(series, data.NewFrame("", times, values))
	}
	return series
}

// describe sets the name, display name and labels of one series.
func (c columns) describe(values *data.Field, series int) {
	values.Name, _ = in(c.Name, series)
	if name, ok := in(c.DisplayName, series); ok {
		values.Config = &data.FieldConfig{DisplayNameFromDS: name}
	}
	values.Labels = data.Labels{}
	for name, column := range c.Labels {
		if value, ok := in(column, series); ok {
			values.Labels[name] = value
		}
	}
}

// in is the text of a series in a column, if it has one.
func in(column any, series int) (text string, ok bool) {
	if list, isList := column.([]any); isList {
		column = list[series]
	}
	text, ok = column.(string)
	return text, ok
}

type reader struct {
	t require.TestingT
	*bytes.Reader
}

func (r reader) unsigned() uint64 {
	number, err := binary.ReadUvarint(r)
	require.NoError(r.t, err)
	return number
}

func (r reader) signed() int64 {
	number, err := binary.ReadVarint(r)
	require.NoError(r.t, err)
	return number
}

func (r reader) byte() byte {
	b, err := r.ReadByte()
	require.NoError(r.t, err)
	return b
}

func (r reader) times(runs uint64) []time.Time {
	times := []time.Time{}
	last := int64(0)
	for range runs {
		distance := r.signed()
		for range r.unsigned() {
			last += distance
			times = append(times, time.UnixMilli(last).UTC())
		}
	}
	return times
}

func (r reader) values(length int) []float64 {
	values := make([]float64, length)
	form := r.byte()
	integer, bits := int64(0), uint64(0)
	for i := range values {
		if form == 255 {
			bits ^= r.word()
			values[i] = math.Float64frombits(bits)
		} else {
			integer += r.signed()
			values[i] = float64(integer) / math.Pow10(int(form))
		}
	}
	return values
}

// word is eight bytes of which those at both ends can be left out.
func (r reader) word() (word uint64) {
	control := r.byte()
	for i := range control & 15 {
		word |= uint64(r.byte()) << (8 * (control>>4 + i))
	}
	return word
}
