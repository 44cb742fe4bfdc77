package rangecache

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// separator ends names and values in the key of a series. It is less than any other byte, so keys compare as lists of labels.
const separator = "\x00"

// matrixOf makes a matrix of the response to a range query. It returns false if the response can't be merged with others: if
// its samples are not on the requested steps, because the platform aligns ranges, if its series are not ordered by their
// labels, or if it has native histograms.
func matrixOf(result *promjson.Result, start, end, step int64) (*matrix, bool) {
	if result.Type != promjson.Matrix {
		return nil, false
	}
	m := &matrix{start: start, end: end, step: step, series: make([]series, 0, len(result.Frames))}
	counted := map[string]struct{}{}
	for _, frame := range result.Frames {
		if frame.Meta != nil && frame.Meta.Type == promjson.FrameTypeHeatmapCells {
			return nil, false
		}
		s := series{labels: frame.Fields[1].Labels}
		var ok bool
		if s.key, ok = keyOf(s.labels); !ok {
			return nil, false
		}
		if n := len(m.series); n > 0 && m.series[n-1].key >= s.key {
			return nil, false
		}
		if !s.fill(frame, m) {
			return nil, false
		}
		if len(s.values) == 0 {
			continue
		}
		s.labelBytes = newLabelBytes(s.labels, counted)
		m.series = append(m.series, s)
	}
	return m, true
}

// SeriesKey orders and identifies a series by its labels, as Prometheus orders them. It is unique unless a label contains the
// separator.
func SeriesKey(labels data.Labels) string {
	if key, ok := keyOf(labels); ok {
		return key
	}
	return labels.String()
}

// keyOf makes the key of a series, by which series have the order of Prometheus. It returns false if a label contains the
// separator.
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

// fill copies the samples of a frame. It returns false if their times are not steps of the matrix in ascending order.
func (s *series) fill(frame *data.Frame, m *matrix) bool {
	times, values := frame.Fields[0], frame.Fields[1]
	if times.Type() != data.FieldTypeTime || values.Type() != data.FieldTypeFloat64 {
		return false
	}
	rows := times.Len()
	s.values = make([]float64, rows)
	previous := int32(-1)
	for i := range rows {
		// Pointers, because Field.At allocates an interface for each value.
		t := times.PointerAt(i).(*time.Time).UnixMilli() - m.start
		step := int32(t / m.step)
		if t < 0 || t%m.step != 0 || t > m.end-m.start || step <= previous {
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
