package packed

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// FrameType is the type of packed frames. It is none of Grafana's.
const FrameType data.FrameType = "timeseries-packed"

// Names of the fields of a packed frame.
const (
	SeriesField  = "series"
	SamplesField = "samples"
)

// Names are the names of a series: of its field, and to display.
type Names struct {
	Name string
	// DisplayName is nil for a series whose field has no config.
	DisplayName *string
}

// Frame packs time series, at least one. They have a field of times and a field of float64 each.
func Frame(frames data.Frames) *data.Frame {
	p := newPacker(len(frames))
	var last *time.Time
	var times []int64
	var values []float64
	for i, frame := range frames {
		at, of := frame.Fields[0], frame.Fields[1]
		rows := at.Len()
		// Most have the times of the one before, and most of those share their memory.
		if rows == 0 || rows != len(times) || at.PointerAt(0).(*time.Time) != last {
			times, last = make([]int64, rows), nil
			for row := range rows {
				times[row] = at.PointerAt(row).(*time.Time).UnixMilli()
			}
			if rows > 0 {
				last = at.PointerAt(0).(*time.Time)
			}
		}
		values = values[:0]
		for row := range rows {
			// A pointer, because Field.At allocates an interface for each value.
			values = append(values, *of.PointerAt(row).(*float64))
		}
		names := Names{Name: of.Name}
		if of.Config != nil {
			names.DisplayName = &of.Config.DisplayNameFromDS
		}
		p.add(i, names, of.Labels, times, values)
	}
	return p.frame(frames[0].Fields[0].Config)
}

// Matrix packs the series of a matrix, at least one, whose names are given. The config is that of fields of times.
func Matrix(m *series.Matrix, name func(data.Labels) Names, config *data.FieldConfig) *data.Frame {
	p := newPacker(len(m.Series))
	all := m.Times()
	for i := range m.Series {
		s := &m.Series[i]
		times := all[s.First : int(s.First)+len(s.Values)]
		if s.At != nil {
			times = make([]int64, len(s.At))
			for j, step := range s.At {
				times[j] = all[step]
			}
		}
		p.add(i, name(s.Labels), s.Labels, times, s.Values)
	}
	return p.frame(config)
}

// packer packs one series after the other.
type packer struct {
	packed  []byte
	times   timesEncoder
	columns columns
}

func newPacker(n int) *packer { return &packer{columns: newColumns(n)} }

func (p *packer) add(i int, names Names, labels data.Labels, times []int64, values []float64) {
	p.columns.set(i, names, labels)
	p.packed = p.times.append(p.packed, times)
	if places, ok := decimalPlaces(values); ok {
		p.packed = appendDecimals(p.packed, values, places)
	} else {
		p.packed = appendXOR(p.packed, values)
	}
	if i == 0 { // the others are about as long
		p.packed = slices.Grow(p.packed, len(p.packed)*len(p.columns.names))
	}
}

func (p *packer) frame(config *data.FieldConfig) *data.Frame {
	var text strings.Builder
	text.Grow(base64.StdEncoding.EncodedLen(len(p.packed)))
	encoder := base64.NewEncoder(base64.StdEncoding, &text)
	_, _ = encoder.Write(p.packed) // a builder has no errors
	_ = encoder.Close()
	samples := data.NewField(SamplesField, nil, []string{text.String()})
	samples.Config = config
	frame := data.NewFrame("", data.NewField(SeriesField, nil, []string{p.columns.json()}), samples)
	frame.Meta = &data.FrameMeta{Type: FrameType}
	return frame
}
