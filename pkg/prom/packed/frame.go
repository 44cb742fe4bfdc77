package packed

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// FrameType is the type of packed frames. It is none of Grafana's.
const FrameType data.FrameType = "timeseries-packed"

// Names of the fields of a packed frame.
const (
	seriesField  = "series"
	samplesField = "samples"
)

// Names are the names of a series: of its field, and to display.
type Names struct {
	Name string
	// DisplayName is nil for a series whose field has no config.
	DisplayName *string
}

// Frame packs the series of a matrix, at least one, with the names that they have for name. The config is that of fields of times.
// It is nil if the series have so many different label names that columns of labels would be far longer than the labels.
func Frame(m *series.Matrix, name func(*series.Series) Names, config *data.FieldConfig) *data.Frame {
	most := smallColumns
	for i := range m.Series {
		most += 4 * len(m.Series[i].Labels)
	}
	p := &packer{columns: newColumns(len(m.Series))}
	for i := range m.Series {
		s := &m.Series[i]
		if p.add(i, name(s), s); len(p.columns.labels)*len(m.Series) > most {
			return nil
		}
	}
	return p.frame(config)
}

// smallColumns is how many cells columns of labels may have however few labels there are.
const smallColumns = 500_000

// packer packs one series after the other.
type packer struct {
	packed  []byte
	times   timesEncoder
	columns columns
}

func (p *packer) add(i int, names Names, s *series.Series) {
	p.columns.set(i, names, s.Labels)
	p.packed = p.times.append(p.packed, s.Times)
	if places, ok := decimalPlaces(s.Values); ok {
		p.packed = appendDecimals(p.packed, s.Values, places)
	} else {
		p.packed = appendXOR(p.packed, s.Values)
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
	samples := data.NewField(samplesField, nil, []string{text.String()})
	samples.Config = config
	frame := data.NewFrame("", data.NewField(seriesField, nil, []string{p.columns.json()}), samples)
	frame.Meta = &data.FrameMeta{Type: FrameType}
	return frame
}
