package packed

import (
	"encoding/base64"
	"encoding/json"
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

// Frame packs the series of a matrix, at least one. namesOf are the names of the field of a series, of which the one to display is nil
// where the field has no config. The config is that of fields of times.
//
// The frame is nil if the series have so many different label names that columns of labels would be far longer than the labels.
func Frame(m *series.Matrix, namesOf func(*series.Series) (name string, display *string), config *data.FieldConfig) *data.Frame {
	most := smallColumns
	for i := range m.Series {
		most += 4 * len(m.Series[i].Labels)
	}
	p := &packer{columns: columns{newColumn(len(m.Series)), newColumn(len(m.Series)), map[string]column{}}}
	for i := range m.Series {
		s := &m.Series[i]
		name, display := namesOf(s)
		p.columns.set(i, name, display, s.Labels)
		p.add(s)
		if i == 0 { // the others are about as long, or have as many bytes for each sample
			p.packed = slices.Grow(p.packed, len(p.packed)*min(len(m.Series), m.Samples()/max(1, len(s.Values))))
		}
		if len(p.columns.labels)*len(m.Series) > most {
			return nil
		}
	}
	return p.frame(config)
}

// smallColumns is how many cells columns of labels may have however few labels there are.
const smallColumns = 500_000

// packer packs one series after the other.
type packer struct {
	packed   []byte
	times    timesEncoder
	columns  columns
	integers []int64 // scratch memory
}

func (p *packer) add(s *series.Series) {
	p.packed = p.times.append(p.packed, s.Times)
	integers, places, ok := decimals(s.Values, p.integers[:0])
	p.integers = integers
	if ok {
		p.packed = appendDecimals(p.packed, integers, places)
	} else {
		p.packed = appendXOR(p.packed, s.Values)
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

// columns are the names, display names and labels of series, in their order.
type columns struct {
	names, displayNames column
	labels              map[string]column
}

// column is a property of each series, which some may not have.
type column struct {
	texts []string
	has   []bool
}

func newColumn(n int) column { return column{make([]string, n), make([]bool, n)} }

func (c *columns) set(i int, name string, display *string, labels data.Labels) {
	c.names.set(i, name)
	if display != nil {
		c.displayNames.set(i, *display)
	}
	for name, value := range labels {
		of, ok := c.labels[name]
		if !ok {
			of = newColumn(len(c.names.texts))
			c.labels[name] = of
		}
		of.set(i, value)
	}
}

func (c column) set(i int, text string) { c.texts[i], c.has[i] = text, true }

// json has, of each property, a text if all series have the same, or else a list, in the order of the series. It is null for series
// without it.
func (c *columns) json() string {
	united := make(map[string]any, len(c.labels))
	for name, column := range c.labels {
		united[name] = column.united()
	}
	text, _ := json.Marshal(map[string]any{"name": c.names.united(), "displayName": c.displayNames.united(), "labels": united}) // strings can't fail
	return string(text)
}

// united is the value that all series have, or the values of each.
func (c column) united() any {
	each, same := make([]*string, len(c.texts)), true
	for i := range c.texts {
		if c.has[i] {
			each[i] = &c.texts[i]
		}
		same = same && c.has[i] && c.texts[i] == c.texts[0]
	}
	if same {
		return each[0]
	}
	return each
}
