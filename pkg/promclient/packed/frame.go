package packed

import (
	"encoding/base64"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// FrameType is the type of packed frames. It is none of Grafana's.
const FrameType data.FrameType = "timeseries-packed"

// Names of the fields of a packed frame.
const (
	SeriesField  = "series"
	SamplesField = "samples"
)

// Frame packs time series, at least one. They have a field of times and a field of float64 each.
func Frame(series data.Frames) *data.Frame {
	samples := data.NewField(SamplesField, nil, []string{encode(series)})
	samples.Config = series[0].Fields[0].Config
	frame := data.NewFrame("", data.NewField(SeriesField, nil, []string{describe(series)}), samples)
	frame.Meta = &data.FrameMeta{Type: FrameType}
	return frame
}

// encoder packs one series after the other.
type encoder struct {
	packed []byte
	times  timesEncoder
	// values is scratch memory.
	values []float64
}

func encode(series data.Frames) string {
	var e encoder
	for _, frame := range series {
		e.packed = e.times.append(e.packed, frame.Fields[0])
		e.readValues(frame.Fields[1])
		if places, ok := decimalPlaces(e.values); ok {
			e.packed = appendDecimals(e.packed, e.values, places)
		} else {
			e.packed = appendXOR(e.packed, e.values)
		}
	}
	return base64.StdEncoding.EncodeToString(e.packed)
}

func (e *encoder) readValues(values *data.Field) {
	e.values = e.values[:0]
	for i := range values.Len() {
		// A pointer, because Field.At allocates an interface for each value.
		e.values = append(e.values, *values.PointerAt(i).(*float64))
	}
}
