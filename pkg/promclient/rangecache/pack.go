package rangecache

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// separator ends names and values in a series' key. Being less than any other byte, it makes keys compare as the lists of
// labels do.
const separator = "\x00"

// pack makes a chunk of an answer to a range query from one step to another. It fails if the answer can't be put together
// with others: if its samples are not on the steps that were asked for, because the platform aligns ranges in its own way,
// if its series are not in the order of their labels, or if it has native histograms.
func pack(result *promjson.Result, from, to, step int64) (*chunk, bool) {
	if result.Type != promjson.Matrix {
		return nil, false
	}
	c := &chunk{from: from, to: to, step: step, series: make([]series, 0, len(result.Frames))}
	texts := map[string]struct{}{}
	for _, frame := range result.Frames {
		if frame.Meta != nil && frame.Meta.Type == promjson.FrameTypeHeatmapCells {
			return nil, false
		}
		s := series{labels: frame.Fields[1].Labels}
		var ok bool
		if s.key, ok = keyOf(s.labels); !ok {
			return nil, false
		}
		if n := len(c.series); n > 0 && c.series[n-1].key >= s.key {
			return nil, false
		}
		if !s.fill(frame, c) {
			return nil, false
		}
		if len(s.values) == 0 {
			continue
		}
		s.text = textOf(s.labels, texts)
		c.series = append(c.series, s)
	}
	return c, true
}

// keyOf writes labels so that keys are ordered as Prometheus orders series. It fails on labels that hold the separator.
func keyOf(labels data.Labels) (string, bool) {
	var names [16]string
	sorted := slices.AppendSeq(names[:0], maps.Keys(labels))
	slices.Sort(sorted)
	var key strings.Builder
	size := 0
	for name, value := range labels {
		size += len(name) + len(value) + 2*len(separator)
	}
	key.Grow(size)
	for _, name := range sorted {
		for _, text := range []string{name, labels[name]} {
			if strings.Contains(text, separator) {
				return "", false
			}
			key.WriteString(text)
			key.WriteString(separator)
		}
	}
	return key.String(), true
}

// fill takes the samples of a frame. Its times must be on the chunk's steps, in order.
func (s *series) fill(frame *data.Frame, c *chunk) bool {
	times, values := frame.Fields[0], frame.Fields[1]
	if times.Type() != data.FieldTypeTime || values.Type() != data.FieldTypeFloat64 {
		return false
	}
	rows := times.Len()
	s.values = make([]float64, rows)
	previous := int32(-1)
	for i := range rows {
		// Pointers, because At copies each value into an interface of its own.
		t := times.PointerAt(i).(*time.Time).UnixMilli() - c.from
		step := int32(t / c.step)
		if t < 0 || t%c.step != 0 || t > c.to-c.from || step <= previous {
			return false
		}
		if i == 0 {
			s.first = step
		} else if s.at == nil && step != previous+1 {
			s.at = (&series{first: s.first, values: s.values[:i]}).appendSteps(make([]int32, 0, rows))
		}
		if s.at != nil {
			s.at = append(s.at, step)
		}
		s.values[i] = *values.PointerAt(i).(*float64)
		previous = step
	}
	return true
}
